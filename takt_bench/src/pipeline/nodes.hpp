// Nodes of the pipeline in one process, on one executor.
#ifndef TAKT_BENCH__SRC__PIPELINE__NODES_HPP_
#define TAKT_BENCH__SRC__PIPELINE__NODES_HPP_

#include <string>
#include <vector>

#include "pipeline/account.hpp"

namespace takt_bench::pipeline
{

/// How the names of executor threads begin.
inline constexpr const char * kThread = "pipeline";

/// How the nodes of one process run.
struct Way
{
  bool by_pointer = false;       ///< messages within the process
  bool storing_triggers = true;  ///< inputs that only store have runs of their own
  bool sequences = false;        ///< each lane is a sequence
  int threads = 1;               ///< of the executor
  int priority = 0;              ///< of its threads under SCHED_FIFO; 0: as the caller's thread
  int core = 0;                  ///< of its threads
  std::string trace{};           ///< file for takt's own record of the measured time; empty: none
};

/// The schedule of these nodes: threads, triggers and sequences of the way; a chain for each lane,
/// where one process has all nodes.
std::string schedule_of(
  const std::vector<int> & nodes, const Way & way, const std::string & prefix);

/// Makes the nodes, waits until they know all their neighbours, runs them from the account's step
/// `running` to `ended`. Blocks; throws std::exception.
void run_nodes(
  const std::vector<int> & nodes, const Way & way, const std::string & prefix, Account & account);

}  // namespace takt_bench::pipeline

#endif  // TAKT_BENCH__SRC__PIPELINE__NODES_HPP_
