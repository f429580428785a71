// Which run caused which: the runs of all processes of a graph, joined by the messages that they
// took and published.
//
// Each topic has one publisher, so the topic names it. In a fusion or a planner, a run that only
// stores its message hands it to the next run of the node that publishes, unless a newer message
// replaces it before (takt_trace/run_flow.hpp). Set-up only.
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
  /// `runs`: of all processes, in any order.
  Causality(const Graph & graph, const CallbackTable & table, std::vector<RunRecord> runs);

  /// All runs, sorted by start.
  const std::vector<RunRecord> & runs() const noexcept { return runs_; }
  /// The same runs in the same order. Callbacks have the numbers of the table.
  const takt_trace::RunFlow & flow() const noexcept { return flow_; }

  /// The run that published the message that `run` took.
  RunIndex source(RunIndex run) const;
  /// For a timer run of a cyclic node: true if the slot of subscription `input` held a message.
  bool was_fresh(RunIndex timer_run, std::uint32_t input) const;

  /// The timer runs that caused `run`: its causes are followed back to the nearest timer runs.
  /// O(depth of the graph).
  std::vector<RunIndex> roots(RunIndex run) const;

private:
  void find_contributors(const Graph & graph);
  const std::vector<RunIndex> & contributors(RunIndex run) const;

  const CallbackTable & table_;
  std::vector<RunRecord> runs_;
  takt_trace::RunFlow flow_;
  /// For a run that published: the runs whose messages it published, including itself.
  std::unordered_map<RunIndex, std::vector<RunIndex>> contributors_;
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__CAUSALITY_HPP_
