// Which run worked for which: joins the runs of all processes by what they took and published.
//
// A message is named by its topic and publication sequence number (each topic has one publisher).
// Inside a node the slots of fusions and planners are replayed: a run that only stores its message
// hands it to the run of its node that next publishes, unless a newer message replaces it before.
// Set-up only.
#ifndef TAKT_WORKLOAD__CAUSALITY_HPP_
#define TAKT_WORKLOAD__CAUSALITY_HPP_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "takt_workload/graph.hpp"
#include "takt_workload/records.hpp"

namespace takt_workload
{

/// Index of a run; kNoRun: none.
using RunIndex = std::size_t;
inline constexpr RunIndex kNoRun = SIZE_MAX;

class Causality
{
public:
  /// `runs` are those of all processes, in any order.
  Causality(const Graph & graph, const CallbackTable & table, std::vector<RunRecord> runs);

  /// By start.
  const std::vector<RunRecord> & runs() const noexcept { return runs_; }

  /// The run that published what this run holds: itself, a later run of its node, or kNoRun.
  RunIndex carrier(RunIndex run) const { return carrier_[run]; }
  /// A newer message of the same input replaced what this run had stored.
  bool superseded(RunIndex run) const { return superseded_[run] != 0; }
  /// The runs whose messages `run` published: at least itself if it published.
  const std::vector<RunIndex> & contributors(RunIndex run) const;
  /// The run that published what this run took.
  RunIndex source(RunIndex run) const;
  /// The run of `callback` that took what `carrier` published.
  RunIndex taker(std::uint32_t callback, RunIndex carrier) const;
  /// Whether `callback` has taken a message that `carrier`'s topic published later.
  bool overtaken(std::uint32_t callback, RunIndex carrier) const;
  /// Cyclic nodes' timer runs: whether the slot of subscription `input` was filled.
  bool was_fresh(RunIndex timer_run, std::uint32_t input) const;

  /// The timer runs that `run` answers for, back to the nearest timers. O(depth of the graph).
  std::vector<RunIndex> roots(RunIndex run) const;

private:
  void replay_joins(const Graph & graph, const CallbackTable & table);

  static std::uint64_t key(std::uint32_t number, std::uint64_t sequence)
  {
    return (std::uint64_t{number} << 44) | sequence;
  }

  const CallbackTable & table_;
  std::vector<RunRecord> runs_;
  std::vector<RunIndex> carrier_;
  std::vector<char> superseded_;
  std::unordered_map<RunIndex, std::vector<RunIndex>> contributors_;
  std::unordered_map<std::uint64_t, RunIndex> published_;  // (topic, sequence)
  std::unordered_map<std::uint64_t, RunIndex> taken_;      // (callback, sequence)
  std::vector<std::uint64_t> newest_taken_;                // by callback
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__CAUSALITY_HPP_
