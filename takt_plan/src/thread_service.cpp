#include "thread_service.hpp"

#include <algorithm>

#include "busy_window.hpp"
#include "priority_scope.hpp"
#include "reservations.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::quoted;

Demand taking(Ns period, Ns cost)
{
  return {{{period, 0}}, cost};
}

}  // namespace

ThreadService::ThreadService(
  const Model & model, const Flow & flow, Index thread, Analysis kind, const ThreadTerms & terms)
: model_(model),
  flow_(flow),
  thread_(thread),
  terms_(terms),
  horizon_(detail::horizon(model, 0)),
  steps_(model.others.size())
{
  const Thread & own = model.threads[thread];
  if (kind == Analysis::deadline) {
    refusal_ = own.follow ? "it follows its callbacks' priorities, which its policy does not know"
                          : refuse_reservation(model, thread);
    if (refusal_.empty()) {
      find_reserved();
    }
  } else {
    refusal_ = refuse_fixed();
    if (refusal_.empty()) {
      find_fixed();
    }
  }
}

std::string ThreadService::refuse_fixed() const
{
  const Thread & own = model_.threads[thread_];
  if (own.kind != ThreadClass::fixed_priority || own.follow || own.cores.size() != 1) {
    return "this analysis needs policy fifo or rr, a fixed OS priority and one core";
  }
  const std::string core = model_.core_name(own.cores.front());
  for (const Index index : flow_.segments.threads_on(own.cores.front())) {
    const Thread & thread = model_.threads[index];
    const std::string why = index == thread_ ? "" : refuse_beside(thread, index);
    if (!why.empty()) {
      return "thread " + quoted(thread.name) + " may take " + core + " from it and " + why;
    }
  }
  for (const OtherLoad & other : model_.others) {
    if (here(other) && other.cores.size() > 1) {
      return "thread " + quoted(other.name) + " may take " + core +
             " from it and may be on other cores as well";
    }
  }
  return {};
}

std::string ThreadService::refuse_beside(const Thread & thread, Index index) const
{
  if (thread.kind == ThreadClass::deadline) {
    return "its policy is deadline, which goes before every OS priority";
  }
  if (thread.follow) {
    return "follows its callbacks' priorities";
  }
  const bool raised =
    thread.ceiling != 0 && most_middleware(model_, flow_.segments, index) > 0;
  if ((disturbs(thread) || raised) && thread.cores.size() != 1) {
    return "may be on other cores as well";
  }
  return {};
}

bool ThreadService::disturbs(const Thread & thread) const
{
  return thread.kind == ThreadClass::fixed_priority &&
         thread.priority >= model_.threads[thread_].priority;
}

bool ThreadService::here(const OtherLoad & other) const
{
  const Thread & own = model_.threads[thread_];
  return other.priority >= own.priority &&
         std::find(other.cores.begin(), other.cores.end(), own.cores.front()) != other.cores.end();
}

void ThreadService::find_fixed()
{
  const Index core = model_.threads[thread_].cores.front();
  for (const Index index : flow_.segments.threads_on(core)) {
    const Thread & thread = model_.threads[index];
    if (index == thread_ || !disturbs(thread)) {
      if (index != thread_ && thread.ceiling != 0 && terms_.ceiling) {
        base_.once = std::max(base_.once, most_middleware(model_, flow_.segments, index));
      }
      continue;
    }
    for (const Index task : flow_.segments.tasks_of(index)) {
      for (const Index stream : flow_.streams.of(task)) {
        takers_.push_back({task, stream, true, kNone, model_.tasks[task].cost()});
      }
      if (flow_.streams.of(task).empty()) {  // too many ways to count
        takers_.push_back({task, kNone, true, kNone, model_.tasks[task].cost()});
      }
    }
  }
  for (Index other = 0; other < model_.others.size(); ++other) {
    if (here(model_.others[other])) {
      takers_.push_back({kNone, kNone, true, other, model_.others[other].time});
    }
  }
  if (!terms_.preemption) {
    takers_.clear();
  }
}

void ThreadService::find_reserved()
{
  const Thread & own = model_.threads[thread_];
  const Reservation & asked = own.reservation;
  if (terms_.supply) {
    base_.supply = Supply::constrained(asked.runtime, asked.deadline, asked.period);
  }
  if (asked.context_switch == 0 || !terms_.switches) {
    return;
  }
  base_.once = asked.context_switch;
  for (Index index = 0; index < model_.threads.size(); ++index) {
    const Thread & thread = model_.threads[index];
    if (thread.kind != ThreadClass::deadline || !share_a_core(own, thread)) {
      continue;
    }
    base_.taken.push_back(taking(thread.reservation.period, asked.context_switch));
    if (index == thread_) {
      continue;
    }
    for (const Index task : flow_.segments.tasks_of(index)) {
      for (const Index stream : flow_.streams.of(task)) {
        takers_.push_back({task, stream, false, kNone, asked.context_switch});
      }
      if (flow_.streams.of(task).empty()) {
        takers_.push_back({task, kNone, false, kNone, asked.context_switch});
      }
    }
  }
}

Service ThreadService::given(const Lateness & lateness)
{
  Service service = base_;
  for (const Taker & taker : takers_) {
    Arrivals arrivals{1, kUnbounded};
    if (taker.other != kNone) {
      const OtherLoad & other = model_.others[taker.other];
      arrivals = {other.period, other_end(other, lateness)};
    } else if (taker.stream != kNone) {
      arrivals.period = flow_.streams.all()[taker.stream].period;
      arrivals.jitter =
        taker.by_end ? lateness.ended(taker.stream) : lateness.released(taker.stream);
    }
    service.taken.push_back({{arrivals}, taker.cost});
  }
  return service;
}

// From its release; what is as urgent goes before it.
Ns ThreadService::other_end(const OtherLoad & other, const Lateness & lateness)
{
  const Index core = model_.threads[thread_].cores.front();
  BusyWindow window;
  window.after = other.time;
  window.period = other.period;
  for (const OtherLoad & beside : model_.others) {
    const bool on_core =
      std::find(beside.cores.begin(), beside.cores.end(), core) != beside.cores.end();
    if (&beside != &other && on_core && beside.priority >= other.priority) {
      window.entries.push_back({kNone, kNone, beside.period, 0, beside.time});
    }
  }
  for (const Index index : flow_.segments.threads_on(core)) {
    const Thread & thread = model_.threads[index];
    if (thread.kind != ThreadClass::fixed_priority || thread.priority < other.priority) {
      if (thread.ceiling != 0) {
        window.ceiling = std::max(window.ceiling, most_middleware(model_, flow_.segments, index));
      }
      continue;
    }
    for (const Index task : flow_.segments.tasks_of(index)) {
      for (const Index stream : flow_.streams.of(task)) {
        const Ns ended = lateness.ended(stream);
        if (ended == kUnbounded && model_.tasks[task].cost() > 0) {
          return kUnbounded;
        }
        window.entries.push_back(
          {task, stream, flow_.streams.all()[stream].period, ended, model_.tasks[task].cost()});
      }
      if (flow_.streams.of(task).empty()) {
        return kUnbounded;
      }
    }
  }
  return worst_activation(window, horizon_, true, steps_).response;
}

std::string ThreadService::unknown(const Service & given) const
{
  for (Index i = base_.taken.size(); i < given.taken.size(); ++i) {
    const Taker & taker = takers_[i - base_.taken.size()];
    if (given.taken[i].arrivals.front().jitter == kUnbounded && taker.cost > 0) {
      return taker.other != kNone
               ? "thread " + quoted(model_.others[taker.other].name) +
                   ", which may take its core, has none"
               : quoted(model_.tasks[taker.task].id) + ", which may take its core, has none";
    }
  }
  return {};
}

}  // namespace takt_plan::detail
