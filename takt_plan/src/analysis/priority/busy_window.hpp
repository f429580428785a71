// The equations of a busy window, as numbers: priority_bounds.hpp says what they mean.
//
// Set-up only: pure functions, nothing blocks.
#ifndef TAKT_PLAN__SRC__BUSY_WINDOW_HPP_
#define TAKT_PLAN__SRC__BUSY_WINDOW_HPP_

#include <vector>

#include "analysis/limits.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// How often something may be released in a window of some length at most, where a period and a jitter
/// do not say all.
class Curves
{
public:
  virtual ~Curves() = default;
  virtual Ns releases(Index stream, Ns length) const = 0;
};

/// Work that comes from outside of the window's core or level.
struct Entry
{
  Index task = kNone;    ///< that it enters by; for messages
  Index stream = kNone;  ///< whose lateness is the jitter; none: `jitter` as it is
  Ns period = 0;
  Ns jitter = 0;
  Ns cost = 0;           ///< per release, with all that follows from it in the window
  Index thread = kNone;  ///< of policy deadline, if it is that one's reservation or switches
  const Curves * curves = nullptr;  ///< of its stream, beside period and jitter
  Index set = kNone;    ///< as often as that set of the window is complete; none: no set
  Index other = kNone;  ///< of Model::others, if it is that one
  Ns overhead = 0;      ///< what of the cost is; known of the work of complete sets
};

/// A set of newest messages that work of the window waits for (message_set.hpp).
struct WindowSet
{
  /// Where messages come from: one of these.
  struct Input
  {
    Index stream = kNone;  ///< as often as it is released
    Index set = kNone;     ///< as often as that set, before this one, is complete
    // Neither: once. What is less urgent had begun.
  };
  std::vector<std::vector<Input>> topics;
};

struct BusyWindow
{
  Ns blocking = 0;
  Index blocker = kNone;  ///< the task that blocks
  Ns ceiling = 0;
  Ns once = 0;
  Ns before = 0;  ///< own cost for each own release in the window
  Ns after = 0;   ///< own cost for each own activation up to the one that is looked at
  Ns forked = 0;  ///< as `after`, but not for the one that is looked at
  Ns before_under_way = 0, after_under_way = 0;  ///< what of the two is for messages under way
  /// What follows the activation that is looked at, though it is in the entry of the activation's set.
  Ns spared = 0, spared_overhead = 0;
  /// What of the three is overhead.
  Ns before_overhead = 0, after_overhead = 0, forked_overhead = 0;
  Ns period = 0;  ///< of the own releases
  Ns jitter = 0;
  Index stream = kNone;  ///< of the own releases
  const Curves * curves = nullptr;
  std::vector<Entry> entries;
  std::vector<WindowSet> sets;
  const Curves * set_curves = nullptr;  ///< of the sets' streams

  /// Own releases in a window of `length` at most.
  Ns releases(Ns length) const;
  /// Of an entry.
  Ns releases(const Entry & entry, Ns length) const;
  /// How often each of the sets is complete.
  std::vector<Ns> complete(Ns length) const;
};

/// The worst activation of a window.
struct Worst
{
  Ns response = kUnbounded;  ///< length - queue_start
  Ns length = kUnbounded;    ///< from the window's beginning to the activation's end
  Ns number = 1;             ///< of the activation in the window
  /// The longest from an activation itself to its end, however it was released: as `length`, less what
  /// activations before it in the window are apart at least.
  Ns from_activation = kUnbounded;
  Ns activation_length = kUnbounded;  ///< as `length`, of that one
  Ns activation_number = 1;           ///< as `number`, of that one
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
