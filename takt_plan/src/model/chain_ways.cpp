#include "model/chain_ways.hpp"

#include <algorithm>

#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::quoted;

bool starts(const Task & task, Index before)
{
  return std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & link) {
    return link.from == before;
  });
}

/// The streams of `task` that continue one of these streams.
std::vector<Index> continued(const Streams & streams, const std::vector<Index> & ways, Index task)
{
  std::vector<Index> result;
  for (const Index id : streams.of(task)) {
    const auto & from = streams.all()[id].from;
    const bool goes_on = std::any_of(from.begin(), from.end(), [&](const Stream::From & f) {
      return std::find(ways.begin(), ways.end(), f.stream) != ways.end();
    });
    if (goes_on) {
      result.push_back(id);
    }
  }
  return result;
}

}  // namespace

namespace
{

/// The streams that begin after a set which the chain's messages enter by `ways`.
Result<std::vector<Index>> after_set(
  const Model & model, const Chain & chain, const Streams & streams, const MessageSet & set,
  ChainWays::Set & entered)
{
  const std::vector<Index> & complete = streams.after(set.task);
  const std::vector<Index> & slowest = set.topics[set.slowest];
  std::vector<Index> same;
  for (const Index input : entered.inputs) {
    const auto found = std::find(slowest.begin(), slowest.end(), input);
    if (found != slowest.end()) {
      same.push_back(complete[static_cast<Index>(found - slowest.begin())]);
    }
  }
  if (same.size() == entered.inputs.size()) {
    return same;
  }
  if (complete.size() > 1) {
    return Faults{
      quoted(model.id_on(chain, set.task)) +
      " waits for a topic whose messages have several sources; this analysis follows a chain "
      "through such a set only from that topic"};
  }
  entered.complete = complete.front();
  return complete;
}

}  // namespace

Result<ChainWays> chain_ways(const Model & model, const Streams & streams, const Chain & chain)
{
  ChainWays result;
  std::vector<Index> & ways = result.streams;
  ways = streams.of(chain.path.front());
  const auto note_set = [&](Index task) {
    if (streams.set(task) != nullptr) {
      result.sets.push_back({task, ways, kNone});
    }
  };
  note_set(chain.path.front());
  for (Index i = 0; i < chain.path.size(); ++i) {
    const Index index = chain.path[i];
    const Task & task = model.tasks[index];
    const std::string & id = model.id_on(chain, index);
    if (streams.too_many(index)) {
      return Faults{too_many_ways(quoted(id))};
    }
    if (i == 0) {
      continue;
    }
    if (!result.sets.empty() && result.sets.back().task == chain.path[i - 1]) {
      auto after =
        after_set(model, chain, streams, *streams.set(chain.path[i - 1]), result.sets.back());
      if (!after) {
        return after.faults();
      }
      ways = std::move(*after);
    }
    if (!starts(task, chain.path[i - 1])) {
      return Faults{
        quoted(id) + " only reads what " + quoted(model.id_on(chain, chain.path[i - 1])) +
        " publishes: the chain's response ends there, and beyond it has a data age"};
    }
    if (streams.may_part(index)) {
      return Faults{
        quoted(id) +
        " waits for one message of each topic, and these come through several processes: one that "
        "starts later loses messages of one topic only, and then messages of different periods "
        "meet; let it wait for the newest of each topic (trigger: newest), or put all callbacks on "
        "the ways to it into its process"};
    }
    if (streams.waits(index)) {
      return Faults{
        quoted(id) +
        " waits for messages of sources that have nothing to do with each other; how long one "
        "waits for the other is not known"};
    }
    ways = continued(streams, ways, index);
    note_set(index);
  }
  return result;
}

}  // namespace takt_plan::detail
