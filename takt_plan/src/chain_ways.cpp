#include "chain_ways.hpp"

#include <algorithm>

#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_core::Faults;
using takt_core::Result;
using takt_schedule::quoted;

bool starts(const Task & task, Index before)
{
  return std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & link) {
    return link.from == before;
  });
}

/// The streams of `task` that go on from these.
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

Result<std::vector<Index>> chain_ways(
  const Model & model, const Streams & streams, const Chain & chain)
{
  std::vector<Index> ways = streams.of(chain.path.front());
  for (Index i = 0; i < chain.path.size(); ++i) {
    const Index index = chain.path[i];
    const Task & task = model.tasks[index];
    if (streams.too_many(index)) {
      return Faults{too_many_ways(quoted(task.id))};
    }
    if (i == 0) {
      continue;
    }
    if (!starts(task, chain.path[i - 1])) {
      return Faults{
        quoted(task.id) + " only reads what " + quoted(model.tasks[chain.path[i - 1]].id) +
        " publishes: the chain's response ends there, and beyond it has a data age"};
    }
    if (streams.waits(index)) {
      return Faults{
        quoted(task.id) +
        " waits for messages of sources that have nothing to do with each other; how long one "
        "waits for the other is not known"};
    }
    ways = continued(streams, ways, index);
  }
  return ways;
}

}  // namespace takt_plan::detail
