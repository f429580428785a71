// A callback that works when the newest messages of several topics are there: its starts, and the
// times at which its sets are complete.
//
// Each message starts a run and is kept in place of the earlier message of its topic. The run that
// completes a set works and publishes, and drops all kept messages (as fusions of the reference
// system do, and message filters with a queue of one). The analyses need the following. B(x) is the
// bound of a run that stream x starts, from that stream's nominal release.
//
// - How often it works. Between two complete sets every topic has had a message, so in any window
//   there are at most min over topics of (messages + 1) of them. And at least one topic had none at
//   the window's beginning, so there are at most max over topics of messages. The tasks that the
//   work starts run as often, in a window that is longer by the time from the runs that may
//   complete a set to these tasks (`since`). set_curves.hpp counts both.
// - Each set has one message of the slowest topic, and the run that completes the set is released
//   after that message's run: before the release of the topic's next run, so within T; and after
//   each other topic x has had a run, so within W = max of next(x) + J(x) (after a set: of gap(x)).
//   So the work has the period of the slowest topic, and the jitter J + min(T, W). (Or less: see
//   "The sum of J(x) and next(y)".)
// - The time at which a message that entered by x leaves with its set, if it does not complete the
//   set: before the next message of x is kept, so within D(x) + B(x), or gap(x) + B(x) after a set
//   not in step; and after every other topic has had a message, so within J(x) + gap. J(x) is the
//   latest release of its run, and gap the largest gap of the other topics. Reason: runs go by
//   their releases, so the last message of another topic that was kept before was released by then,
//   and the gap does not count from a later time. A message that is replaced before has no
//   response.
// - next(x), from the release of a run by x, which one timer starts, to the timer's next nominal
//   release: T, or its offset, if that is longer than its period. Reason: the timer's run has begun
//   when the run by x is released, and the timer's next nominal release is at most T after the
//   begin of its run, however late that was.
// - The sum of J(x) and next(y), for the message of another topic y, is too much where the messages
//   of x are at least as far apart as those of y: by the time of the next message of x, y has had
//   one again. Let a set have two topics, each with one stream, from the start of one process. Let
//   n(m) be the nominal release of a message m, and let T(x) >= D(y). Then the message of y that
//   completes the set of m has a nominal release of at most
//       n(m) + max(next(y), J(x) + D(y) - T(x)).
//   Proof. Let the set before have the messages m' and y'; n(m') <= n(m) - T(x). The next message
//   of y completes the set of m, by n(y') + D(y). If m' completed its set, y' had been released at
//   the set before m', so n(y') <= n(m') + J(x). If y' completed it, the claim holds for m', by
//   induction, and D(y) <= T(x). If no set was before: the first message of y completes the set,
//   and comes at most next(y) after the start of the process, and m not before that. If the result
//   counts from another release, `counted` before n(m) at the latest: the maximum of next(y), and
//   of counted + max(next(y), J(x)) + D(y) - T(x). In the first case, that of the first set, that
//   other release also comes after the start.
// - gap(x), from the release of a run by x to the end of the next one: next(x) + B(x). After a set
//   the gap is the largest of its topics, counted from the release of the run that completes the
//   set, plus the longest time of the way from there.
// - D(x), from the nominal release of a timer to the next one: T. But a timer whose run may end
//   later than its next release skips periods: its next run has the first nominal release after the
//   run before has begun. B is the timer's own bound: then the next release is at most (B / T + 1)
//   T after the one before, with B / T rounded down.
// - In step: all topics begin at timers of one process, with one period and known offsets from its
//   start (or at timers that are always released together). d(x) is the time by which x is released
//   later than the first of them. If every d(x) + B(x) is within the period, each period has its
//   own set, which is complete by the largest d(x) + B(x).
//
// The stream after a set has the period of the set's slowest topic (in step: of the first timer),
// and counts from its releases. A chain may enter the set by another topic. Then it continues at
// the time at which its set is complete (in step: d later than the stream after the set counts).
// From there on responses count from activations (Worst::from_activation), because the activations
// are not as late for the chain as for the stream.
//
// Assumptions: all topics' runs are on one thread and equally urgent, so that one ends before
// another begins; timers go on for ever, and none skips a period, which is so as long as its own
// bound is within its period; no message is lost on the way.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__MESSAGE_SET_HPP_
#define TAKT_PLAN__SRC__MESSAGE_SET_HPP_

#include <algorithm>
#include <functional>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

class Streams;

/// The analysis' results for a stream so far.
struct StreamTimes
{
  Ns released = 0;  ///< latest release, after the nominal release
  Ns bound = 0;     ///< latest end, after the nominal release
  Ns gap = 0;       ///< for streams that a set starts: gap, see above
  Ns since = 0;     ///< for streams after a set: longest time from the set's last message to the
                    ///< activation
  Ns ended = 0;     ///< longest time from the set's last message to the end
};

/// The times of each stream, by its index.
using TimesOf = std::function<const StreamTimes &(Index)>;

/// The number of complete sets in a window with given numbers of messages for each topic; see
/// above.
class CompleteSets
{
public:
  void add_topic(Ns messages)
  {
    least_ = std::min(least_, messages);
    most_ = std::max(most_, messages);
  }
  Ns most() const { return std::min(add(least_, 1), most_); }

private:
  Ns least_ = kUnbounded;
  Ns most_ = 0;
};

/// The messages with which a set may begin.
enum class SetStart
{
  first,     ///< the first ones of all timers: their offsets count from the start of the process
  together,  ///< those of any period: timers of one process that are always released together
  any        ///< any message of each topic: processes start at any time of a clock, and start again
};

struct MessageSet
{
  Index task = kNone;
  std::vector<std::vector<Index>> topics;  ///< the streams of each topic
  Index slowest = 0;                       ///< the slowest topic; in step: the first topic
  SetStart start = SetStart::first;
  bool in_step = false;
  std::vector<Ns> behind;  ///< in step: d of each topic

  /// The position of the topic to which `input` belongs.
  Index topic_of(Index input) const;
  /// The longest time from the nominal release of a message of `input` to that of the message of
  /// the slowest topic with which it leaves the set; kUnbounded: unknown.
  Ns counts_later(Index input, const Streams & streams, const TimesOf & times) const;

  /// The time from the nominal release of a message of `input` until its set is complete and the
  /// work is done; kUnbounded: unknown.
  Ns completed(Index input, const Streams & streams, const TimesOf & times) const;
  /// True if the messages of one period are a set, and the work has the same period.
  bool stays_in_step(const Streams & streams, const TimesOf & times) const;
  /// The longest time from the end of the run that keeps a message of `input` until the work on its
  /// set is done, for any release.
  Ns waiting(Index input, const Streams & streams, const TimesOf & times) const;
  /// The delay of the work after the release from which it counts, if this message of the slowest
  /// topic gives that release: J + min(T, W).
  Ns lateness(Index input, const Streams & streams, const TimesOf & times) const;
  /// The time to the nominal release of the message of `other` that completes a set which a message
  /// of `mine` does not complete, from a moment that is `counted` before the nominal release of
  /// that message at the latest, and `arrives` before the release of its run. kUnbounded: unknown.
  Ns other_comes(
    Index mine, Index other, Ns counted, Ns arrives, const Streams & streams,
    const TimesOf & times) const;
  /// The longest time from one complete set to the next.
  Ns gap(const Streams & streams, const TimesOf & times) const;
  /// The time from the nominal release of a message until the next message of `input` replaces it;
  /// kUnbounded: unknown.
  Ns replaced(Index input, const Streams & streams, const TimesOf & times) const;

private:
  Ns other_is_done(Index input, Index topic, const Streams & streams, const TimesOf & times) const;
};

/// The longest time from the release of a run of this stream to the end of the stream's next run.
Ns gap_of(Index stream, const Streams & streams, const TimesOf & times);

/// The same for all streams of one topic together.
Ns gap_of_topic(const std::vector<Index> & topic, const Streams & streams, const TimesOf & times);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__MESSAGE_SET_HPP_
