// Which run worked for which: the runs of all processes of a graph, joined by what they took and published.
//
// Each topic has one publisher, so that a topic names it. Inside a node a run of a fusion or of a planner that only stores
// its message hands it to the run of its node that next publishes, unless a newer message replaces it before
// (takt_trace/run_flow.hpp). Set-up only.
#ifndef TAKT_WORKLOAD__SRC__FIGURES__CAUSALITY_HPP_
#define TAKT_WORKLOAD__SRC__FIGURES__CAUSALITY_HPP_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/graph.hpp"
#include "records/records.hpp"
#include "takt_trace/run_flow.hpp"

namespace takt_workload
{

using RunIndex = takt_trace::RunNumber;
using takt_trace::kNoRun;

class Causality
{
public:
  /// `runs` are those of all processes, in any order.
  Causality(const Graph & graph, const CallbackTable & table, std::vector<RunRecord> runs);

  /// By start.
  const std::vector<RunRecord> & runs() const noexcept { return runs_; }
  /// The same runs in the same order, with callbacks as the table numbers them.
  const takt_trace::RunFlow & flow() const noexcept { return flow_; }

  /// The run that published what this run took.
  RunIndex source(RunIndex run) const;
  /// Cyclic nodes' timer runs: whether the slot of subscription `input` was filled.
  bool was_fresh(RunIndex timer_run, std::uint32_t input) const;

  /// The timer runs that `run` answers for, back to the nearest timers. O(depth of the graph).
  std::vector<RunIndex> roots(RunIndex run) const;

private:
  void find_contributors(const Graph & graph);
  const std::vector<RunIndex> & contributors(RunIndex run) const;

  const CallbackTable & table_;
  std::vector<RunRecord> runs_;
  takt_trace::RunFlow flow_;
  /// By a run that published: the runs whose messages it published, itself included.
  std::unordered_map<RunIndex, std::vector<RunIndex>> contributors_;
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__CAUSALITY_HPP_
