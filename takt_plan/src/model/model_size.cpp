#include "model/model_size.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace takt_plan::detail
{

std::string too_large(const Model & model, const Flow & flow)
{
  // A thread that may use several cores counts on the first one.
  const auto core_of = [&](Index thread) { return model.threads[thread].cores.front(); };
  std::vector<std::uint64_t> streams(model.cores.size()), others(model.cores.size());
  for (Index task = 0; task < model.tasks.size(); ++task) {
    // A task with too many ways has no streams, but counts.
    streams[core_of(model.tasks[task].threads.front())] +=
      std::max<std::size_t>(flow.streams.of(task).size(), 1);
  }
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    ++others[core_of(thread)];
  }
  for (const OtherLoad & other : model.others) {
    for (const Index core : other.cores) {
      ++others[core];
    }
  }
  std::uint64_t pairs = 0;
  Index most = 0;
  for (Index core = 0; core < streams.size(); ++core) {
    pairs += streams[core] * (streams[core] + others[core]);
    if (streams[core] + others[core] > streams[most] + others[most]) {
      most = core;
    }
  }
  if (pairs <= kMostPairs) {
    return {};
  }
  return "the system is too large for an analysis, which compares what may delay each other: " +
         std::to_string(pairs) + " pairs, and at most " + std::to_string(kMostPairs) + "; " +
         model.core_name(most) + " alone has callbacks that are started in " +
         std::to_string(streams[most]) + " ways, and " + std::to_string(others[most]) +
         " threads: split the system, or simulate it";
}

}  // namespace takt_plan::detail
