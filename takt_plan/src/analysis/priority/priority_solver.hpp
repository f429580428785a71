// The least solution of the equations of priority_bounds.hpp for all segments at once: bounds make
// jitters, and jitters make bounds. Tasks of other kinds of threads take part by local analyses
// (local_analysis.hpp), where there are any.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PRIORITY_SOLVER_HPP_
#define TAKT_PLAN__SRC__PRIORITY_SOLVER_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/local_analysis.hpp"
#include "analysis/priority/priority_part.hpp"
#include "analysis/priority/priority_window.hpp"
#include "analysis/priority/through_sets.hpp"
#include "analysis/set_curves.hpp"
#include "model/flow.hpp"
#include "model/message_set.hpp"

namespace takt_plan::detail
{

class PrioritySolver final : private Lateness
{
public:
  /// Solves. `model` must pass `check`; keeps a reference to it.
  PrioritySolver(
    const Model & model, const PriorityOptions & options,
    UnderWay under_way = UnderWay::between_segments);

  /// Makes the local analyses of a model; null: none.
  using MakeLocals = LocalAnalyses (*)(const Model &, const Flow &, const BoundsOptions &);
  PrioritySolver(
    const Model & model, const BoundsOptions & options, MakeLocals make,
    std::int64_t most_looks = kMostLooks, UnderWay under_way = UnderWay::between_segments);
  PrioritySolver(const PrioritySolver &) = delete;
  PrioritySolver & operator=(const PrioritySolver &) = delete;

  /// The reason why nothing was solved (model_size.hpp); empty: all was solved.
  const std::string & too_large() const noexcept { return too_large_; }
  const Model & model() const noexcept { return model_; }
  Ns horizon() const noexcept { return horizon_; }
  /// True if tasks have no bound because earlier tasks used up the steps.
  bool exhausted() const noexcept { return looks_ > most_looks_; }
  /// The number of evaluated terms of the equations of busy windows.
  std::int64_t looks() const noexcept { return looks_; }
  const Flow & flow() const noexcept { return flow_; }
  const Streams & streams() const noexcept { return flow_.streams; }
  const Segments & segments() const noexcept { return flow_.segments; }
  const PriorityPart & part(Index stream) const { return parts_[stream]; }
  /// For each stream the bound of its part; kUnbounded: none.
  std::vector<Ns> ends() const;
  const SetCurves & curves() const noexcept { return curves_; }
  const ThroughSets & through_sets() const noexcept { return through_sets_; }
  /// The analysis that covers the task; null: segments cover it.
  const LocalAnalysis * local(Index task) const
  {
    return local_of_.empty() ? nullptr : local_of_[task];
  }

  /// The time from the nominal release of a message of the stream `input` until the message's set
  /// is complete and the work on it is done; kUnbounded: unknown.
  Ns completed(const MessageSet & set, Index input) const;
  /// How much later such a message is released than the stream after the set, if the set stays in
  /// step.
  std::optional<Ns> behind(const MessageSet & set, Index input) const;
  /// The time from the end of the run that keeps such a message until the work is done, for any
  /// release.
  Ns waiting(const MessageSet & set, Index input) const;

private:
  Ns released(Index stream) const override { return parts_[stream].released; }
  Ns ended(Index stream) const override { return parts_[stream].bound; }
  void prepare(Index task, WindowScratch & scratch);
  void prepare_through(Index stream, WindowScratch & scratch);
  void prepare_local(Index task);
  void ask_locals();
  void solve_local(PriorityPart & part);
  bool iterate();
  void solve_part(Index id);
  void solve_through(Index id);
  void solve_window(SolvedWindow & solved);
  void solve_way(PriorityPart & part);
  Ns within_horizon(Ns bound) const { return bound > horizon_ ? kUnbounded : bound; }
  Ns jitter(Index stream) const { return terms_.jitter ? parts_[stream].released : 0; }
  Ns leaves(Index id) const;
  bool release_next(Index id);  // true: it moved a release
  Ns since_set(Index id) const;
  void use_curves(SolvedWindow & solved) const;
  void note_move(Index stream);
  bool solve_set(const MessageSet & set);

  const Model & model_;
  const PriorityTerms terms_;
  const Ns horizon_;
  const Flow flow_;
  const std::string too_large_;
  LocalAnalyses locals_;
  std::vector<LocalAnalysis *> local_of_;  // one per task; empty without local analyses
  std::vector<Ns> responses_;              // one per task, for tasks with a local analysis
  std::vector<PriorityPart> parts_;        // one per stream
  ThroughSets through_sets_;               // over parts_
  SetCurves curves_;                       // likewise
  bool waits_ = false;                     // some task waits for others without a bound
  std::vector<std::vector<Index>> next_;   // per stream: the streams that continue it
  std::vector<Index> starts_;  // per task: the number of tasks that it starts by messages or calls
  int round_ = 0;
  const bool activations_;  // true: the caller wants responses from activations
  const std::int64_t most_looks_;
  std::int64_t looks_ = 0;  // at entries of windows
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_SOLVER_HPP_
