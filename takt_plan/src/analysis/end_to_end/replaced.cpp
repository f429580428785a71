#include "analysis/end_to_end/replaced.hpp"

#include <algorithm>

#include "model/streams.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan
{
namespace
{

using takt_schedule::quoted;

/// Another publisher of each topic by which `from` reaches `reader`; kNone: only `from` publishes
/// one of these topics.
Index other_publisher(const Task & reader, Index from)
{
  Index found = kNone;
  for (const Link & link : reader.reads) {
    if (link.from != from) {
      continue;
    }
    const auto other = std::find_if(reader.reads.begin(), reader.reads.end(), [&](const Link & o) {
      return o.topic == link.topic && o.from != from;
    });
    if (other == reader.reads.end()) {
      return kNone;
    }
    found = other->from;
  }
  return found;
}

/// True if tasks other than `before` also start `task`; `by` is the first of them. A join waits for
/// all of its tasks, so none of them counts. Each set of newest messages has a message of the topic
/// of `before`, so only other publishers of this topic count.
bool runs_for_others(const Task & task, Index before, Index & by)
{
  if (detail::joins(task)) {
    return false;
  }
  const auto of_path = std::find_if(
    task.triggers.begin(), task.triggers.end(),
    [&](const Link & link) { return link.from == before; });
  const auto other =
    std::find_if(task.triggers.begin(), task.triggers.end(), [&](const Link & link) {
      return link.from != before &&
             (!task.newest || of_path == task.triggers.end() || link.topic == of_path->topic);
    });
  by = other == task.triggers.end() ? kNone : other->from;
  return by != kNone || task.release;
}

}  // namespace

std::optional<Replaced> replaced(const Model & model, const Chain & chain)
{
  const std::vector<Index> & path = chain.path;
  const Task & root = model.tasks[path.front()];
  Replaced place;
  // Each run of a timer samples, whichever task starts it. If the events are messages from outside,
  // a run that another task starts carries no event.
  if (root.release && !root.timer && !root.triggers.empty()) {
    place.started = path.front();
    place.by = root.triggers.front().from;
  }
  for (Index i = 1; i < path.size(); ++i) {
    const Task & task = model.tasks[path[i]];
    if (!only_reads(task, path[i - 1])) {
      if (Index by = kNone; place.started == kNone && runs_for_others(task, path[i - 1], by)) {
        place.started = path[i];
        place.by = by;
      }
      continue;
    }
    place.reader = path[i];
    place.publisher = path[i - 1];
    if (place.started != kNone) {
      return place;
    }
    place.by = other_publisher(task, path[i - 1]);
    if (place.by != kNone) {
      return place;
    }
  }
  return std::nullopt;
}

std::string why_no_age(const Model & model, const Chain & chain, const Replaced & place)
{
  const auto called = [&](Index task) { return quoted(model.id_on(chain, task)); };
  if (place.started == kNone) {
    return "others publish what " + called(place.reader) + " reads of " + called(place.publisher) +
           ", and may always replace it before it is used";
  }
  const std::string by =
    place.by == kNone ? "messages from outside of the model" : quoted(model.tasks[place.by].id);
  return called(place.started) + " is also started by " + by + ", and what " +
         called(place.publisher) +
         " then publishes may always replace the chain's message before " + called(place.reader) +
         " reads it";
}

std::vector<std::string> replaced_warnings(const Model & model, const std::vector<Index> & chains)
{
  std::vector<std::string> warnings;
  for (const Index index : chains) {
    const Chain & chain = model.chains[index];
    if (const auto place = replaced(model, chain)) {
      warnings.push_back(
        "chain " + quoted(chain.name) + ": " + why_no_age(model, chain, *place) +
        "; the bound holds only for activations that end; possibly no activation ends");
    }
  }
  return warnings;
}

}  // namespace takt_plan
