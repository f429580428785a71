// The results of the solver of fixed priorities (priority_solver.hpp) for each stream of
// activations.
//
// Set-up only: plain data.
#ifndef TAKT_PLAN__SRC__PRIORITY_PART_HPP_
#define TAKT_PLAN__SRC__PRIORITY_PART_HPP_

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/local_analysis.hpp"
#include "analysis/priority/priority_window.hpp"
#include "analysis/priority/whole_way.hpp"
#include "model/message_set.hpp"

namespace takt_plan::detail
{

/// The window of a segment, with its results so far.
struct SolvedWindow
{
  PriorityWindow window;
  Worst worst;
  std::vector<Index> counted;  ///< streams that it counts by their curves
  Steps steps;
  int solved_round = -1;  ///< the last round that examined it
};

/// The activations of a task by one stream. The own window of a part begins behind the last set, if
/// there is one. `through` has the windows that go on through sets; the smaller bound counts. A
/// stream that begins with a complete set has no own window: the runs that may complete a set
/// release it, and `bound` is the time at which the work on the set is done.
struct PriorityPart : StreamTimes, SolvedWindow
{
  std::vector<SolvedWindow> through;
  Ns apart = 0;     ///< the bound by the own window
  Ns leaves = 0;    ///< the latest release of the tasks that it starts, without delays of messages
  Ns together = 0;  ///< the bound by `through`, if that has windows
  /// The way over several segments that ends with the part, and its bound.
  std::optional<WholeWay> way;
  Ns whole = 0;       ///< from the nominal release; only with `way`
  Ns way_length = 0;  ///< the same from the release of the way's first task
  Steps way_steps;
  int way_round = -1;  ///< the last round that examined it
  /// The analysis that covers the task instead of a window. `window` then has only this task and
  /// its stream.
  LocalAnalysis * local = nullptr;
  std::string refusal;     ///< empty: a window or a local analysis covers the task
  int released_round = 0;  ///< the last round that moved `released`
  int bound_round = 0;     ///< likewise `bound`

  /// True if segments through sets have the smaller bound.
  bool goes_through() const { return !through.empty() && together <= apart && !goes_whole(); }
  /// True if the way over several segments has the smallest bound.
  bool goes_whole() const { return way && whole < apart && (through.empty() || whole < together); }
  /// The smallest of the bounds.
  Ns smallest() const
  {
    const Ns other = through.empty() ? apart : std::min(apart, together);
    return way ? std::min(whole, other) : other;
  }
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_PART_HPP_
