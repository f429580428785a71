#include "analysis/priority/priority_scope.hpp"

#include <algorithm>

#include "analysis/deadline/reservations.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_core::Order;
using takt_schedule::quoted;

/// The refusal for a thread of policy deadline on the segment's core. The sentence goes on from the
/// thread's name.
std::string refuse_reserved(
  const Model & model, const Streams & streams, const Segments & segments, Index thread)
{
  if (model.threads[thread].reservation.context_switch > 0) {
    for (const Index task : segments.tasks_of(thread)) {
      if (streams.too_many(task)) {
        return too_many_ways(quoted(model.tasks[task].id));
      }
    }
  }
  return refuse_reservation(model, thread);
}

Refusal refuse_threads(
  const Model & model, const Streams & streams, const Segments & segments,
  const PriorityLevel & level, Index last)
{
  const Thread & own = model.threads[level.thread()];
  if (own.order != Order::priority && own.order != Order::fifo) {
    return quoted(model.tasks[last].id) + " depends on thread " + quoted(own.name) +
           ", whose order is " + std::string(takt_core::to_string(own.order)) +
           "; this analysis needs priority or fifo there";
  }
  for (const Index index : segments.threads_on(level.core())) {
    const Thread & thread = model.threads[index];
    const auto where = [&] {
      return "thread " + quoted(thread.name) + " may delay " + quoted(model.tasks[last].id) +
             " on " + model.core_name(level.core());
    };
    if (level.competes(thread)) {
      if (thread.kind == ThreadClass::deadline) {
        if (const std::string why = refuse_reserved(model, streams, segments, index);
            !why.empty()) {
          return where() + ": " + why;
        }
        continue;
      }
      if (thread.follow || thread.cores.size() != 1) {
        return where() + (thread.follow ? " and follows its callbacks' priorities"
                                        : " and may be on other cores as well");
      }
      if (thread.order == Order::stock) {
        return where() + " and its order is stock, which drops callbacks that wait";
      }
    } else if (
      thread.ceiling != 0 && thread.cores.size() != 1 &&
      most_middleware(model, segments, index) > 0) {
      return where() + ": it publishes at the middleware ceiling and may be on other cores as well";
    }
  }
  return {};
}

Refusal refuse_work(
  const Model & model, const Streams & streams, const Segments & segments,
  const PriorityLevel & level, Index last)
{
  const auto whom = [&] { return quoted(model.tasks[last].id); };
  const auto which = [&](Index index) {
    return index == last ? std::string() : ", which may delay " + whom() + ",";
  };
  for (const Index index : segments.on(level.core())) {
    const bool pooled = segments.thread(index) == kNone;
    if (!pooled && !streams.too_many(index) && !segments.spanned(index)) {
      continue;
    }
    const Task & t = model.tasks[index];
    const bool ahead = pooled && std::any_of(t.threads.begin(), t.threads.end(), [&](Index thread) {
                         const Thread & on = model.threads[thread];
                         return level.competes(on) && on.cores.front() == level.core();
                       });
    if (ahead) {
      return quoted(t.id) + " may delay " + whom() + " and may run on any of " +
             std::to_string(t.threads.size()) + " threads";
    }
    if (level.contains(index) && streams.too_many(index)) {
      return too_many_ways(quoted(t.id) + which(index));
    }
    if (level.contains(index) && segments.spanned(index)) {
      return quoted(t.id) + which(index) + " is in the exclusive group " +
             quoted(model.groups[t.group].id) +
             ", whose callbacks run on several threads: it may have to wait for one that this "
             "analysis does not see";
    }
  }
  return {};
}

}  // namespace

Refusal refuse_places(const Model & model, const std::vector<Index> & segment)
{
  for (const Index index : segment) {
    const Task & t = model.tasks[index];
    if (t.threads.size() > 1) {
      return quoted(t.id) + " may run on any of " + std::to_string(t.threads.size()) +
             " threads; this analysis needs one thread for each callback";
    }
    const Index thread = t.threads.front();
    const Thread & on = model.threads[thread];
    if (on.kind != ThreadClass::fixed_priority) {
      return quoted(t.id) + " runs on thread " + quoted(on.name) +
             (on.kind == ThreadClass::deadline
                ? ", whose policy is deadline; this analysis needs fifo or rr"
                : ", which shares its core with everything on the machine; this analysis needs "
                  "policy fifo or rr");
    }
    if (on.follow) {
      return quoted(t.id) + " runs on thread " + quoted(on.name) +
             " of a following pool; this analysis needs a fixed OS priority";
    }
    if (on.cores.size() != 1) {
      return quoted(t.id) + " runs on thread " + quoted(on.name) + ", which may be on " +
             std::to_string(on.cores.size()) + " cores; this analysis needs it on one";
    }
  }
  return {};
}

Refusal refuse_surroundings(
  const Model & model, const Streams & streams, const Segments & segments,
  const PriorityLevel & level, const std::vector<Index> & segment)
{
  const Index last = segment.back();
  Refusal refusal = refuse_threads(model, streams, segments, level, last);
  return refusal ? refusal : refuse_work(model, streams, segments, level, last);
}

Ns most_middleware(const Model & model, const Segments & segments, Index thread)
{
  Ns most = 0;
  for (const Index task : segments.tasks_of(thread)) {
    most = std::max(most, model.tasks[task].section());
  }
  return most;
}

}  // namespace takt_plan::detail
