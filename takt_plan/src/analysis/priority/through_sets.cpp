#include "analysis/priority/through_sets.hpp"

#include <algorithm>

namespace takt_plan::detail
{

bool ThroughSets::agrees(const SolvedWindow & window, const Place & place) const
{
  const std::vector<Index> & inputs = window.window.inputs;
  return inputs.size() >= place.inputs.size() &&
         std::equal(place.inputs.begin(), place.inputs.end(), inputs.begin());
}

const SolvedWindow & ThroughSets::first(const Place & place) const
{
  const std::vector<SolvedWindow> & ways = parts_[place.part].through;
  return *std::find_if(
    ways.begin(), ways.end(), [&](const SolvedWindow & window) { return agrees(window, place); });
}

ThroughSets::Place ThroughSets::before(const Place & place, Index input, bool chain) const
{
  Place next = place;
  next.stream = input;
  next.inputs.push_back(input);
  next.chain = chain && place.chain;
  if (chain && !next.own.empty()) {
    next.own.erase(next.own.begin());
  }
  next.from_release = place.from_release || !chain;
  return next;
}

/// From the end of the run that completes the set by `input` to the segment's end.
Ns ThroughSets::following(const Place & place, Index input) const
{
  const PriorityPart & part = parts_[place.part];
  const bool last = place.inputs.empty();
  if (last && streams_.all()[place.part].set == place.part) {
    return 0;  // it ends there
  }
  const Place next = before(place, input, false);
  Ns longest = 0;
  for (const SolvedWindow & window : part.through) {
    if (agrees(window, next)) {
      longest = std::max(longest, window.worst.from_activation);
    }
  }
  return last ? std::min(longest, part.worst.from_activation) : longest;
}

/// The time at which the set keeps the message of stream `mine`.
Ns ThroughSets::kept(const Place & place, Index mine) const
{
  const PriorityPart & part = parts_[mine];
  if (place.from_release && !place.chain) {
    return part.bound;
  }
  if (first(before(place, mine, true)).window.inputs.size() == place.inputs.size() + 1) {
    return place.from_release ? part.apart : part.worst.from_activation;
  }
  if (part.through.empty()) {
    return kUnbounded;
  }
  Place own = before(place, mine, true);
  own.part = mine;
  own.inputs.clear();
  return end(own);
}

/// The release of the run that keeps the message of stream `mine`.
Ns ThroughSets::arrives(const Place & place, Index mine) const
{
  const PriorityPart & part = parts_[mine];
  if (!place.from_release) {
    return kept(place, mine);
  }
  Place own = before(place, mine, true);
  if (!place.chain || first(own).window.inputs.size() == place.inputs.size() + 1) {
    return part.released;
  }
  const std::vector<Stream::From> & from = streams_.all()[mine].from;
  own.part = own.stream = from.front().stream;
  own.inputs.clear();
  // Other runs of the window come before the sender's end, but not before the release of this run.
  const bool alone = from.size() == 1 && !parts_[own.part].through.empty();
  const Index task = streams_.all()[mine].task;
  return alone ? add(end(own), model_.tasks[task].triggers[from.front().link].delay)
               : kept(place, mine);
}

/// The longest time from the release from which the place counts to the nominal release of the
/// message of stream `mine`; kUnbounded: unknown.
Ns ThroughSets::counts_later(const Place & place, Index mine) const
{
  const TimesOf times_of = [this](Index id) -> const StreamTimes & { return times(id); };
  Ns later = 0;
  Index after = mine;  // behind the set that place.own[i] enters
  for (Index i = 1; place.chain && i < place.own.size(); ++i) {
    const Index complete = streams_.all()[after].set;
    after = place.own[i];
    if (streams_.counted_from(complete) != after) {
      const MessageSet & set = *streams_.set(streams_.all()[complete].task);
      later = add(later, set.counts_later(after, streams_, times_of));
    }
  }
  return later;
}

/// If the next message of stream `input` completes the set: the longest time to the segment's end,
/// from a moment before which an earlier message of the stream was released at the set.
Ns ThroughSets::by_next(const Place & place, Index input) const
{
  const TimesOf times_of = [this](Index id) -> const StreamTimes & { return times(id); };
  const Ns gap = gap_of(input, streams_, times_of);
  if (gap == kUnbounded) {
    return kUnbounded;
  }
  const Place next = before(place, input, false);
  const Index complete = streams_.all()[input].set;
  if (complete == kNone) {
    return add(gap - times(input).bound, end(next));
  }
  if (first(next).window.inputs.size() == next.inputs.size()) {
    return add(gap, following(place, input));
  }
  Ns longest = 0;
  for (const auto & topic : streams_.set(streams_.all()[complete].task)->topics) {
    if (topic.size() != 1) {
      return add(gap, following(place, input));
    }
    longest = std::max(longest, by_next(next, topic.front()));
  }
  return longest;
}

/// The segment's end if another message than that of stream `mine` completes the set. `own`: the
/// end if that one does.
Ns ThroughSets::unless_own(const Place & place, const MessageSet & set, Index mine, Ns own) const
{
  const TimesOf times_of = [this](Index id) -> const StreamTimes & { return times(id); };
  const Index topic_of_mine = set.topic_of(mine);
  Ns next = 0, follows = 0;
  for (Index topic = 0; topic < set.topics.size(); ++topic) {
    if (topic == topic_of_mine) {
      continue;
    }
    const std::vector<Index> & inputs = set.topics[topic];
    Ns after = 0;
    for (const Index input : inputs) {
      after = std::max(after, following(place, input));
    }
    follows = std::max(follows, after);
    Ns by_this = add(
      arrives(place, mine), inputs.size() == 1
                              ? by_next(place, inputs.front())
                              : add(gap_of_topic(inputs, streams_, times_of), after));
    if (place.from_release && inputs.size() == 1) {
      const Ns comes = set.other_comes(
        mine, inputs.front(), counts_later(place, mine), arrives(place, mine), streams_, times_of);
      by_this = std::min(by_this, add(comes, end(before(place, inputs.front(), false))));
    }
    next = std::max(next, by_this);
  }
  const Ns replaced =
    place.from_release ? set.replaced(mine, streams_, times_of) : gap_of(mine, streams_, times_of);
  if (replaced == kUnbounded) {
    return next;
  }
  const Ns later = place.from_release ? replaced - times(mine).bound : replaced;
  Ns again = add(kept(place, mine), add(later, follows));
  if (place.from_release && streams_.all()[mine].set == kNone) {
    again = std::min(again, add(later, own));
  }
  return std::min(next, again);
}

Ns ThroughSets::end(const Place & place) const
{
  const SolvedWindow & window = first(place);
  if (window.window.inputs.size() == place.inputs.size()) {
    return place.from_release
             ? add(times(window.window.head_stream).released, window.worst.response)
             : window.worst.from_activation;
  }
  const TimesOf times_of = [this](Index id) -> const StreamTimes & { return times(id); };
  const Index complete = streams_.all()[place.stream].set;
  const MessageSet & set = *streams_.set(streams_.all()[complete].task);
  const Index mine = place.chain ? place.own.front() : streams_.counted_from(complete);
  for (const Index input : streams_.of(set.task)) {
    if (times(input).bound == kUnbounded) {
      return kUnbounded;
    }
  }
  const Ns own = end(before(place, mine, true));
  if (own == kUnbounded || !orders_) {
    return own;
  }
  if (place.from_release && set.stays_in_step(streams_, times_of)) {
    Ns last = 0;
    for (Index topic = 0; topic < set.topics.size(); ++topic) {
      const Index input = set.topics[topic].front();
      last = std::max(last, add(set.behind[topic], end(before(place, input, input == mine))));
    }
    return last == kUnbounded ? kUnbounded : last - set.behind[set.topic_of(mine)];
  }
  return std::max(own, unless_own(place, set, mine, own));
}

Ns ThroughSets::end(Index stream) const
{
  return end(Place{stream, stream, {}, {}, false, true});
}

Ns ThroughSets::end(Index stream, const std::vector<Index> & own, bool from_release) const
{
  return end(Place{stream, stream, {}, own, true, from_release});
}

const SolvedWindow & ThroughSets::way(Index stream, const std::vector<Index> & own) const
{
  return first(Place{stream, stream, own, {}, true, true});
}

}  // namespace takt_plan::detail
