#include "model/message_set.hpp"

#include <algorithm>

#include "model/streams.hpp"

namespace takt_plan::detail
{
namespace
{

/// True if the timer may run more than a period late, so that it skips periods.
bool skips(const Stream & stream, const TimesOf & times)
{
  return !stream.timer || times(stream.root).bound > stream.period;
}

/// The time from the nominal release of one run of the stream's source to that of the next run.
Ns distance(const Stream & stream, const TimesOf & times)
{
  if (!skips(stream, times)) {
    return stream.period;
  }
  const Ns bound = times(stream.root).bound;
  return stream.timer && !stream.leaves_grid && bound != kUnbounded
           ? multiply(bound / stream.period + 1, stream.period)
           : kUnbounded;
}

/// The time from the release of a run that the stream starts to the nominal release of the next run
/// of the stream's source. The source's run has begun before, so it does not matter how late it
/// was.
Ns until_next(const Stream & stream, const TimesOf & times)
{
  const bool known = stream.timer && !(stream.leaves_grid && skips(stream, times));
  return known ? std::max(stream.period, stream.first) : kUnbounded;
}

/// The time from the release of a run that the stream starts to the release of the next one.
Ns next_release(Index id, const Streams & streams, const TimesOf & times)
{
  const Stream & stream = streams.all()[id];
  return stream.set == kNone ? add(until_next(stream, times), times(id).released)
                             : gap_of(id, streams, times);
}

}  // namespace

Ns gap_of(Index id, const Streams & streams, const TimesOf & times)
{
  const Stream & stream = streams.all()[id];
  if (times(id).bound == kUnbounded) {
    return kUnbounded;
  }
  if (!stream.timer) {
    return kUnbounded;
  }
  if (stream.set == kNone) {
    return add(until_next(stream, times), times(id).bound);
  }
  const StreamTimes & left = times(stream.set);
  return left.gap == kUnbounded || times(id).ended == kUnbounded
           ? kUnbounded
           : add(left.gap, times(id).ended - left.ended);
}

/// The stream of the topic with the most frequent messages decides.
Ns gap_of_topic(const std::vector<Index> & topic, const Streams & streams, const TimesOf & times)
{
  Ns least = kUnbounded;
  for (const Index stream : topic) {
    least = std::min(least, gap_of(stream, streams, times));
  }
  return least;
}

Index MessageSet::topic_of(Index input) const
{
  const auto found = std::find_if(topics.begin(), topics.end(), [&](const auto & topic) {
    return std::find(topic.begin(), topic.end(), input) != topic.end();
  });
  return static_cast<Index>(found - topics.begin());
}

// If each release has a message, the next message of the stream replaces this one at a known time.
Ns MessageSet::replaced(Index input, const Streams & streams, const TimesOf & times) const
{
  const Stream & stream = streams.all()[input];
  const Ns bound = times(input).bound;
  if (stream.set == kNone) {
    return add(distance(stream, times), bound);
  }
  const MessageSet & before = *streams.set(streams.all()[stream.set].task);
  return stream.timer && before.stays_in_step(streams, times)
           ? add(stream.period, bound)
           : add(gap_of(input, streams, times), bound);
}

bool MessageSet::stays_in_step(const Streams & streams, const TimesOf & times) const
{
  for (Index topic = 0; in_step && topic < topics.size(); ++topic) {
    const Index input = topics[topic].front();
    const Stream & stream = streams.all()[input];
    if (skips(stream, times) || add(behind[topic], times(input).bound) > stream.period) {
      return false;
    }
  }
  return in_step;
}

Ns MessageSet::counts_later(Index input, const Streams & streams, const TimesOf & times) const
{
  const std::vector<Index> & slow = topics[slowest];
  if (slow.size() != 1 || start != SetStart::first || streams.all()[input].set != kNone) {
    return kUnbounded;
  }
  const Stream & other = streams.all()[slow.front()];
  // It was there before this message, or comes before the next message of `input`. A further topic
  // may keep the set waiting until another slow message has replaced it.
  const Ns next = other.set == kNone && topics.size() == 2 ? until_next(other, times) : kUnbounded;
  return add(times(input).released, std::min(distance(streams.all()[input], times), next));
}

Ns MessageSet::other_comes(
  Index mine, Index other, Ns counted, Ns arrives, const Streams & streams,
  const TimesOf & times) const
{
  const Stream & stream = streams.all()[other];
  const Ns next = until_next(stream, times);
  const Ns apart = distance(stream, times);
  const Ns period = streams.all()[mine].period;
  const bool pair = topics.size() == 2 && topics.front().size() == 1 && topics.back().size() == 1 &&
                    start == SetStart::first && stream.set == kNone;
  if (!pair || apart > period) {
    return stream.set == kNone ? add(arrives, next) : kUnbounded;
  }
  const Ns late = add(counted, std::max(next, times(mine).released));
  const Ns later = late == kUnbounded ? late : late - (period - apart);
  return std::min(add(arrives, next), std::max(next, later));
}

/// The time from the nominal release of a message of `input` to the end of a run that completes its
/// set with another topic's message.
Ns MessageSet::other_is_done(
  Index input, Index topic, const Streams & streams, const TimesOf & times) const
{
  const Ns gap = add(times(input).released, gap_of_topic(topics[topic], streams, times));
  if (topics[topic].size() > 1) {
    return gap;
  }
  const Index other = topics[topic].front();
  const Ns comes = other_comes(input, other, 0, times(input).released, streams, times);
  return std::min(gap, add(comes, times(other).bound));
}

Ns MessageSet::completed(Index input, const Streams & streams, const TimesOf & times) const
{
  const Index own = topic_of(input);
  Ns others = 0;
  for (Index topic = 0; topic < topics.size(); ++topic) {
    for (const Index stream : topics[topic]) {
      if (times(stream).bound == kUnbounded) {
        return kUnbounded;
      }
    }
    if (topic != own) {
      others = std::max(others, other_is_done(input, topic, streams, times));
    }
  }
  if (stays_in_step(streams, times)) {
    Ns last = 0;
    for (Index topic = 0; topic < topics.size(); ++topic) {
      last = std::max(last, behind[topic] + times(topics[topic].front()).bound);
    }
    return last - behind[own];
  }
  // The message completes the set, or waits for the others.
  return std::max(times(input).bound, std::min(replaced(input, streams, times), others));
}

Ns MessageSet::waiting(Index input, const Streams & streams, const TimesOf & times) const
{
  const Index own = topic_of(input);
  Ns others = 0;
  for (Index topic = 0; topic < topics.size(); ++topic) {
    others = topic == own ? others : std::max(others, gap_of_topic(topics[topic], streams, times));
  }
  return std::min(gap_of(input, streams, times), others);
}

Ns MessageSet::lateness(Index input, const Streams & streams, const TimesOf & times) const
{
  const Index own = topic_of(input);
  const Ns released = times(input).released;
  Ns others = 0;
  for (Index topic = 0; topic < topics.size(); ++topic) {
    Ns next = kUnbounded;
    for (const Index stream : topics[topic]) {
      next = std::min(next, next_release(stream, streams, times));
    }
    next = add(released, next);
    if (topics[topic].size() == 1) {
      const Index other = topics[topic].front();
      const Ns comes = other_comes(input, other, 0, released, streams, times);
      next = std::min(next, add(comes, times(other).released));
    }
    others = topic == own ? others : std::max(others, next);
  }
  return std::max(released, std::min(add(released, streams.all()[input].period), others));
}

Ns MessageSet::gap(const Streams & streams, const TimesOf & times) const
{
  Ns most = 0;
  for (const auto & topic : topics) {
    most = std::max(most, gap_of_topic(topic, streams, times));
  }
  return most;
}

}  // namespace takt_plan::detail
