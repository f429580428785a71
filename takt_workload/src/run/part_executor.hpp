// Makes the executor of a run: from a schedule, or from an order and a number of threads.
#ifndef PART_EXECUTOR_HPP_
#define PART_EXECUTOR_HPP_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "run/part_accounts.hpp"
#include "run/run_options.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/executor.hpp"

namespace takt_workload
{

struct PartExecutor
{
  takt_rcl::Executor executor;
  std::string name;
  takt_core::Order order = takt_core::Order::fifo;
  /// The attributes of each thread in the schedule, before fallbacks.
  std::vector<takt_rt::ThreadAttributes> wished{};
  bool rights_must_be_there = false;
  /// All ids in the chains of the schedule.
  std::set<std::string> chained{};
  /// A note about the choice of this executor; may be empty.
  std::string note{};

  /// The executor's threads as they are now; empty before its start.
  std::vector<OwnThread> threads();
  /// True if the last start failed because a right is missing.
  bool lacks_rights();
};

/// Without a schedule, the graph's chains give priorities and deadlines. Throws takt_rcl::Error.
PartExecutor make_part_executor(
  const std::shared_ptr<takt_rcl::Context> & context, const Graph & graph,
  const RunOptions & options, std::uint32_t part);

}  // namespace takt_workload

#endif  // PART_EXECUTOR_HPP_
