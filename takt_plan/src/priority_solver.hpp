// The least solution of the equations of priority_bounds.hpp for all segments at once: bounds make
// jitters, and jitters make bounds.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__PRIORITY_SOLVER_HPP_
#define TAKT_PLAN__SRC__PRIORITY_SOLVER_HPP_

#include <string>
#include <vector>

#include "flow.hpp"
#include "limits.hpp"
#include "message_set.hpp"
#include "priority_window.hpp"

namespace takt_plan::detail
{

/// A task's activations by one stream. Of a stream that begins with a complete set there is no window:
/// it is released by the runs that may complete one, and `bound` is when that is done.
struct PriorityPart : StreamTimes
{
  PriorityWindow window;
  std::string refusal;  ///< empty: the window is there
  Worst worst;
  bool curved = false;  ///< its window has curves
  Steps steps;
  int released_round = 0;  ///< the last one that moved `released`
  int solved_round = -1;   ///< the last one that looked at the window
};

class PrioritySolver final : public Curves
{
public:
  /// Solves. `model` must pass `check`; keeps a reference to it.
  PrioritySolver(const Model & model, const PriorityOptions & options);
  PrioritySolver(const PrioritySolver &) = delete;
  PrioritySolver & operator=(const PrioritySolver &) = delete;

  const Model & model() const noexcept { return model_; }
  Ns horizon() const noexcept { return horizon_; }
  const Streams & streams() const noexcept { return flow_.streams; }
  const Segments & segments() const noexcept { return flow_.segments; }
  /// Of a stream after a set.
  Ns releases(Index stream, Ns length) const override;
  const PriorityPart & part(Index stream) const { return parts_[stream]; }
  /// When the set of a message that starts a run by this stream is complete and the work done, after
  /// its nominal release; kUnbounded: unknown.
  Ns completed(const MessageSet & set, Index input) const;

private:
  void prepare(Index task);
  bool iterate();
  bool solve_part(Index id);
  Ns jitter(Index stream) const { return terms_.jitter ? parts_[stream].released : 0; }
  Ns since_set(Index id) const;
  bool use_curves(BusyWindow & window) const;
  bool solve_set(const MessageSet & set);
  void release_next(Index id);

  const Model & model_;
  const PriorityTerms terms_;
  const Ns horizon_;
  const Flow flow_;
  std::vector<PriorityPart> parts_;       // one per stream
  std::vector<std::vector<Index>> next_;  // streams that go on from one
  int round_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_SOLVER_HPP_
