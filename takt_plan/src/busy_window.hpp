// The equations of a busy window, as numbers: priority_bounds.hpp says what they mean.
//
// Set-up only: pure functions, nothing blocks.
#ifndef TAKT_PLAN__SRC__BUSY_WINDOW_HPP_
#define TAKT_PLAN__SRC__BUSY_WINDOW_HPP_

#include <vector>

#include "limits.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Work that comes from outside of the window's core or level.
struct Entry
{
  Index task = kNone;    ///< that it enters by; for messages
  Index stream = kNone;  ///< whose lateness is the jitter; none: `jitter` as it is
  Ns period = 0;
  Ns jitter = 0;
  Ns cost = 0;           ///< per release, with all that follows from it in the window
  Index thread = kNone;  ///< of policy deadline, if it is that one's reservation or switches
};

struct BusyWindow
{
  Ns blocking = 0;
  Ns ceiling = 0;
  Ns once = 0;
  Ns before = 0;  ///< own cost for each own release in the window
  Ns after = 0;   ///< own cost for each own activation up to the one that is looked at
  Ns forked = 0;  ///< as `after`, but not for the one that is looked at
  Ns period = 0;  ///< of the own releases
  Ns jitter = 0;
  std::vector<Entry> entries;
};

/// The worst activation of a window.
struct Worst
{
  Ns response = kUnbounded;  ///< length - queue_start
  Ns length = kUnbounded;    ///< from the window's beginning to the activation's end
  Ns number = 1;             ///< of the activation in the window
};

/// `queued`: false looks at the first activation only. Lengths beyond `horizon` count as unbounded,
/// and so does what is not found before `steps` run out.
Worst worst_activation(const BusyWindow & window, Ns horizon, bool queued, Steps & steps);

/// How much of its core the window's work needs in the long run; above 1 there is no bound.
double utilization(const BusyWindow & window);

/// Above 1 by more than the rounding of `utilization`: never true of a core that is exactly full.
bool overloaded(const BusyWindow & window);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__BUSY_WINDOW_HPP_
