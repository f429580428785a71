// The equations of a busy window, on plain numbers. priority_bounds.hpp explains them.
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

/// Counts a stream's releases in a window, for streams whose period and jitter do not describe them
/// closely.
class Curves
{
public:
  virtual ~Curves() = default;
  virtual Ns releases(Index stream, Ns length) const = 0;
};

/// Work that comes from outside of the window's core or level.
struct Entry
{
  Index task = kNone;    ///< the task that the message starts; for messages
  Index stream = kNone;  ///< its lateness is the jitter; kNone: `jitter` counts
  Ns period = 0;
  Ns jitter = 0;
  Ns cost = 0;  ///< of one release, with all work of the window that follows from it
  /// Of policy deadline: the entry is its reservation, or switches to and from it.
  Index thread = kNone;
  const Curves * curves = nullptr;  ///< closer counts of its releases; null: only period and jitter
  Index set = kNone;                ///< its number of complete sets limits the count; kNone: no set
  Index other = kNone;              ///< position in Model::others, for such a load
  Ns overhead = 0;  ///< the part of `cost` that is overhead; only for the work on complete sets
  /// The part of `cost` that may delay the segment's last run after that run has begun.
  Ns late = 0;
  /// `related`: the entry has the window's own source. Its activation d is released d periods after
  /// the nominal release of the segment's activation, and at most its jitter later. `comes_after`:
  /// the segment's own activation starts it, so only activations with d below zero count. Once the
  /// last run has begun, which may publish at any time, d = 0 also counts.
  bool related = false, comes_after = false;
};

/// A less urgent task that only the window's own source starts.
struct RelatedBlocker
{
  struct From
  {
    Index stream = kNone;
    bool comes_after = false;  ///< as of Entry
    Ns bound = 0;              ///< the latest end of its runs, after the nominal release
  };
  Index task = kNone;
  Ns cost = 0;     ///< the time for which it keeps the segment's thread
  Ns started = 0;  ///< the work of W that one run of it starts
  Ns period = 0;
  std::vector<From> from;
};

/// A set of newest messages (message_set.hpp) for which work of the window waits.
struct WindowSet
{
  /// The source of a topic's messages: one of these.
  struct Input
  {
    Index stream = kNone;  ///< one message for each release of it
    Index set = kNone;     ///< one message for each complete set of this earlier set
    // Neither: one message, of less urgent work that had begun.
  };
  std::vector<std::vector<Input>> topics;
};

struct BusyWindow
{
  Ns blocking = 0;        ///< by `blocker`
  Ns started = 0;         ///< the work of W that a run of `blocker` starts
  Index blocker = kNone;  ///< of any source; related tasks are in `blockers`
  std::vector<RelatedBlocker> blockers;
  Ns ceiling = 0;
  Ns once = 0;
  Ns before = 0;  ///< the segment's cost for each of its releases in the window
  Ns after = 0;   ///< the segment's cost for each activation up to the analysed one
  Ns forked = 0;  ///< as `after`, but not for the analysed activation
  Ns before_under_way = 0, after_under_way = 0;  ///< the parts of these two for messages under way
  /// Work that follows the analysed activation, although the entry of the activation's set counts
  /// it.
  Ns spared = 0, spared_overhead = 0;
  /// The parts of `before`, `after` and `forked` that are overhead.
  Ns before_overhead = 0, after_overhead = 0, forked_overhead = 0;
  Ns period = 0;  ///< of the own releases
  Ns jitter = 0;
  Index stream = kNone;  ///< of the own releases
  const Curves * curves = nullptr;
  std::vector<Entry> entries;
  std::vector<WindowSet> sets;
  const Curves * set_curves = nullptr;  ///< of the sets' streams

  /// Of the costs above: the segment's last run from its pick on, and the work that it starts
  /// before its end.
  Ns last = 0;
  /// The part of `before` that may delay the last run after that run has begun.
  Ns before_late = 0;

  /// The largest number of own releases in a window of `length`.
  Ns releases(Ns length) const;
  /// For each set: how often it is complete in a window of `length`, at most.
  std::vector<Ns> complete(Ns length) const;
};

/// An activation in a window.
struct Moment
{
  /// The beginning of the window, after the nominal release of the activation; absent: any.
  std::optional<Ns> begin;
  Ns number = 1;           ///< of the activation in the window
  Ns last = kUnbounded;    ///< from the window's beginning until its last run begins
  Ns length = kUnbounded;  ///< until its end
  /// True: `length` ends at the activation's only message, and not at its end. Until the message no
  /// work has begun that comes after the activation.
  bool leaving = false;
};

/// The worst activations of a window.
struct Worst
{
  Ns response = kUnbounded;  ///< from the latest release of the activation to its end
  Moment moment;
  /// The same up to the activation's only message. Work that comes after the activation does not
  /// count.
  Ns leaves = kUnbounded;
  Moment leaving;
  /// The longest time from an activation to its end, for any release: `length`, less the least time
  /// from the window's first activation to this one.
  Ns from_activation = kUnbounded;
  Moment activation;
};

/// How often the segment's own costs, or the cost of an entry, count in a window up to the end of
/// an activation.
struct Shares
{
  Ns releases = 0;  ///< with the whole cost
  /// Only with the part that may delay the last run after that run has begun.
  Ns late_releases = 0;
};
Shares own_shares(const BusyWindow & window, const Moment & moment);

/// The largest blocking: the rest of a less urgent run that may have begun before the window, and
/// the work that this run starts.
struct Blocking
{
  Ns time = 0;
  Ns started = 0;
  Index task = kNone;
};
Blocking blocking(const BusyWindow & window, std::optional<Ns> begin);
Shares shares(const BusyWindow & window, const Entry & entry, const Moment & moment);

/// `queued`: false examines only the first activation. `from_activation`: false omits that result.
/// Lengths beyond `horizon` count as unbounded, and so do lengths that are not found before `steps`
/// run out.
Worst worst_activation(
  const BusyWindow & window, Ns horizon, bool queued, bool from_activation, Steps & steps);

/// The share of its core that the window's work needs in the long run. Above 1 there is no bound.
double utilization(const BusyWindow & window);

/// True if the utilization is above 1 by more than rounding. Never true for a core that is exactly
/// full.
bool overloaded(const BusyWindow & window);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__BUSY_WINDOW_HPP_
