// What the solver of fixed priorities (priority_solver.hpp) knows of each stream of activations.
//
// Set-up only: plain data.
#ifndef TAKT_PLAN__SRC__PRIORITY_PART_HPP_
#define TAKT_PLAN__SRC__PRIORITY_PART_HPP_

#include <string>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/local_analysis.hpp"
#include "analysis/priority/priority_window.hpp"
#include "model/message_set.hpp"

namespace takt_plan::detail
{

/// A segment's window, as far as the iteration has come.
struct SolvedWindow
{
  PriorityWindow window;
  Worst worst;
  std::vector<Index> counted;  ///< streams that it counts by their curves
  Steps steps;
  int solved_round = -1;  ///< the last one that looked at it
};

/// A task's activations by one stream. The own window of a part begins behind the last set, if there is one; `through`
/// has those that go on through sets, and the smaller bound counts. Of a stream that begins with a complete set there
/// is no own window: it is released by the runs that may complete one, and `bound` is when that is done.
struct PriorityPart : StreamTimes, SolvedWindow
{
  std::vector<SolvedWindow> through;
  Ns apart = 0;     ///< the bound by the own window
  Ns leaves = 0;    ///< when what it starts is released at the latest, without delays
  Ns together = 0;  ///< the bound by `through`, if there are any
  /// Of a local analysis `window` is only the task, alone, and its stream.
  LocalAnalysis * local = nullptr;  ///< that covers the task instead of a window
  std::string refusal;              ///< empty: the window is there, or the analysis covers it
  int released_round = 0;           ///< the last one that moved `released`
  int bound_round = 0;              ///< likewise `bound`

  /// Whether segments through sets have the smaller bound.
  bool goes_through() const { return !through.empty() && together <= apart; }
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_PART_HPP_
