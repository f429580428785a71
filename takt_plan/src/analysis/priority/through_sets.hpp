// When a segment ends that goes through sets of newest messages (message_set.hpp), by the bounds of
// its ways.
//
// Let a message of stream m be kept in a set, and let E(x) be the bound of the segment's end if a
// message of stream x completes that set, from the nominal release of x. The window of E(x) goes
// through the set without a new release: the run that completes it starts all that follows at once.
// Then the segment ends, after the release of m,
//
// - if the set stays in step: by the largest d(x) + E(x) over the set's topics, less d(m);
// - else, if m completes the set, by E(m);
// - else another stream x completes it, with its first message after m was kept. The message of x
//   that was kept before was released at the set no later than m, by J(m), because runs of a set go
//   by their releases. Its timer had begun by then, so the nominal release of the next message is
//   by J(m) + T(x), even if the timer skips periods. So the segment ends by J(m) + T(x) + E(x). If
//   x itself comes after a set on the same core, the same holds for each topic of that set, which
//   must have come again for the next x. Otherwise, or if x shares its topic with other streams: by
//   J(m) + gap(x) + the time that follows the set's run. Or it ends by E(x) after the nominal
//   release of the message of x that completes the set (MessageSet::other_comes).
// - If another stream completes the set before the next message of m is kept, the segment also ends
//   by D(m) + E(m). Assume that the timer releases the next message of m before this end; otherwise
//   the claim holds. From then on to the end some work of the segment's level is pending: the next
//   message up to its run at the set, which begins after the run that completes the set with m has
//   ended, and then the work that this run starts. So the busy window of E(m) of the next message
//   has this end in it. All work of the window counts there, too, because in both cases one of the
//   complete sets ends last. (If m comes after a set: by replaced(m) + the time that follows.)
//
// The time from the end of the run that completes the set to the segment's end is at most the time
// of the segment from its activation (Worst::from_activation), and at most the time of the work
// that the set starts by itself.
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
  ThroughSets(
    const Model & model, const Streams & streams, const std::vector<PriorityPart> & parts,
    bool orders)
  : model_(model),
    streams_(streams),
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
  Ns counts_later(const Place & place, Index mine) const;
  Ns by_next(const Place & place, Index input) const;
  Place before(const Place & place, Index input, bool chain) const;
  bool agrees(const SolvedWindow & window, const Place & place) const;
  const SolvedWindow & first(const Place & place) const;
  Ns kept(const Place & place, Index mine) const;
  Ns following(const Place & place, Index input) const;
  const StreamTimes & times(Index stream) const { return parts_[stream]; }

  const Model & model_;
  const Streams & streams_;
  const std::vector<PriorityPart> & parts_;
  const bool orders_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__THROUGH_SETS_HPP_
