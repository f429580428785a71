// When a segment ends that goes through sets of newest messages (message_set.hpp), by the bounds of
// its ways.
//
// Let a message of stream m be kept in a set, and let E(x) be the bound of the segment's end if a
// message of stream x completes that set, from the nominal release of x. The window of E(x) goes
// through the set without a new release: the run that completes it starts all that follows at once.
// Then the segment ends, after the release of m,
//
// - in step: by the largest d(x) + E(x) over the set's topics, less d(m);
// - else, if m completes the set, by E(m);
// - else some other x does, with its first message after m was kept. The last one that was kept
//   before was released at the set no later than m, by J(m), since runs of a set go by their
//   releases. Its timer had begun by then, so that the nominal release of the next one is by J(m) +
//   T(x), also if the timer skips periods. So the segment ends by J(m) + T(x) + E(x). If x comes
//   after a set itself on the same core, the same holds of each topic of that set; it must have
//   come again for the next x. Else, or if x shares its topic with other streams: by J(m) + gap(x)
//   + what follows after the set's run.
// - And if another one does before the next message of m is kept, the segment ends by D(m) + E(m).
//   Let the next message of m be released by its timer before this end, else there is nothing to
//   show. From then on to the end some work of the segment's level is pending: the next message up
//   to its run at the set, which begins after the run that completes the set with m has ended, and
//   then what that one starts. So the busy window of E(m) of the next message has this end in it.
//   All work of the window counts there as well: of complete sets it is one that ends last, in both
//   cases. (If m comes after a set: by replaced(m) + what follows.)
//
// What follows a run that completes the set, from its end to the segment's, is no longer than the
// segment from its activation (Worst::from_activation), nor than what the set starts by itself.
//
// Several sets: E(x) is again the largest over the ways through the sets before, to x.
//
// Set-up only: pure, does not block.
#ifndef TAKT_PLAN__SRC__THROUGH_SETS_HPP_
#define TAKT_PLAN__SRC__THROUGH_SETS_HPP_

#include <vector>

#include "analysis/priority/priority_part.hpp"
#include "model/message_set.hpp"
#include "model/streams.hpp"

namespace takt_plan::detail
{

class ThroughSets
{
public:
  /// Keeps references. `orders`: false assumes that the segment's own message completes each set.
  ThroughSets(const Streams & streams, const std::vector<PriorityPart> & parts, bool orders)
  : streams_(streams),
    parts_(parts),
    orders_(orders)
  {
  }

  /// The end of the part of this stream, after the nominal release from which the stream counts.
  /// The part must have ways through sets.
  Ns end(Index stream) const;

  /// The end of the part for a chain whose messages enter the sets by the streams `own`, from the
  /// last set back. Counts from the nominal release of the segment on this way, or from its
  /// activation.
  Ns end(Index stream, const std::vector<Index> & own, bool from_release) const;

  /// The window of the part that goes on through sets by the streams `own`. If these name fewer
  /// sets, the first such window.
  const SolvedWindow & way(Index stream, const std::vector<Index> & own) const;

private:
  /// A place on the ways of a part. The ways agree behind it.
  struct Place
  {
    Index part = kNone;
    Index stream = kNone;  // the stream that comes to the place
    // The streams by which the ways enter the sets behind it, from the last set back.
    std::vector<Index> inputs;
    std::vector<Index> own;  // the chain's streams into the sets before it, likewise
    bool chain = false;  // true: the chain decides; false: the stream from which the part counts
    bool from_release = true;
  };
  Ns end(const Place & place) const;
  Ns unless_own(const Place & place, const MessageSet & set, Index mine, Ns own) const;
  Ns arrives(const Place & place, Index mine) const;
  Ns by_next(const Place & place, Index input) const;
  Place before(const Place & place, Index input, bool chain) const;
  bool agrees(const SolvedWindow & window, const Place & place) const;
  const SolvedWindow & first(const Place & place) const;
  Ns kept(const Place & place, Index mine) const;
  Ns following(const Place & place, Index input) const;
  const StreamTimes & times(Index stream) const { return parts_[stream]; }

  const Streams & streams_;
  const std::vector<PriorityPart> & parts_;
  const bool orders_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__THROUGH_SETS_HPP_
