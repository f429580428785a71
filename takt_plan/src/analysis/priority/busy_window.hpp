// The equations of a busy window, as numbers: priority_bounds.hpp says what they mean.
//
// Set-up only: pure functions, nothing blocks.
#ifndef TAKT_PLAN__SRC__BUSY_WINDOW_HPP_
#define TAKT_PLAN__SRC__BUSY_WINDOW_HPP_

#include <optional>
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
  Ns late = 0;          ///< what of the cost goes before the segment's last run once that has begun
  /// It has the window's own source: activation d is released between d periods after the nominal release of the
  /// segment's activation, and its jitter later. Of what comes after the segment, only if d is below zero; or zero, once
  /// the last run has begun, which may publish at any time.
  bool related = false, comes_after = false;
};

/// A less urgent task that the window's own source starts, and nothing else.
struct RelatedBlocker
{
  struct From
  {
    Index stream = kNone;
    bool comes_after = false;  ///< as of Entry
    Ns bound = 0;              ///< the latest end of its runs, after the nominal release
  };
  Index task = kNone;
  Ns cost = 0;     ///< for which it keeps the segment's thread
  Ns started = 0;  ///< of W, by one run of it
  Ns period = 0;
  std::vector<From> from;
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
  Ns blocking = 0;        ///< by a task of any source
  Ns started = 0;         ///< what a run of it starts in W
  Index blocker = kNone;  ///< that task; `blockers` are instead of it
  std::vector<RelatedBlocker> blockers;
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

  Ns last = 0;  ///< of the costs: the segment's last run, and what that starts before its end
  Ns before_late = 0;  ///< what of `before` goes before the last run once that has begun

  /// Own releases in a window of `length` at most.
  Ns releases(Ns length) const;
  /// How often each of the sets is complete.
  std::vector<Ns> complete(Ns length) const;
};

/// An activation in a window.
struct Moment
{
  /// Where the window begins, after the nominal release of the activation; none: at any distance.
  std::optional<Ns> begin;
  Ns number = 1;           ///< of the activation in the window
  Ns last = kUnbounded;    ///< from the window's beginning until its last run begins
  Ns length = kUnbounded;  ///< until its end
  /// Up to its message, if that is its only one: before that nothing has begun that comes after it.
  bool leaving = false;
};

/// The worst activations of a window.
struct Worst
{
  Ns response = kUnbounded;  ///< from the latest release of the activation to its end
  Moment moment;
  /// Likewise to its message, as far as what comes after the activation does not count.
  Ns leaves = kUnbounded;
  Moment leaving;
  /// The longest from an activation itself to its end, however it was released: `length`, less what
  /// activations before it in the window are apart at least.
  Ns from_activation = kUnbounded;
  Moment activation;
};

/// What the own releases take, and what an entry takes, of a window up to the end of an activation.
struct Shares
{
  Ns releases = 0;       ///< that count whole
  Ns late_releases = 0;  ///< of which only what goes before the last run
};
Shares own_shares(const BusyWindow & window, const Moment & moment);

/// What is left of the run of a less urgent task that may have begun before a window, and what it starts, at most.
struct Blocking
{
  Ns time = 0;
  Ns started = 0;
  Index task = kNone;
};
Blocking blocking(const BusyWindow & window, std::optional<Ns> begin);
Shares shares(const BusyWindow & window, const Entry & entry, const Moment & moment);

/// `queued`: false looks at the first activation only. `from_activation`: false leaves that out. Lengths beyond `horizon` count as unbounded,
/// and so does what is not found before `steps` run out.
Worst worst_activation(
  const BusyWindow & window, Ns horizon, bool queued, bool from_activation, Steps & steps);

/// How much of its core the window's work needs in the long run; above 1 there is no bound.
double utilization(const BusyWindow & window);

/// Above 1 by more than the rounding of `utilization`: never true of a core that is exactly full.
bool overloaded(const BusyWindow & window);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__BUSY_WINDOW_HPP_
