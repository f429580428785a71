#include "analysis/set_curves.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace takt_plan::detail
{

void SetCurves::Stair::narrow(const Stair & other)
{
  from = std::max(from, other.from);
  until = std::min(until, other.until);
}

/// The stair for lengths that are larger by `by`, seen from the shorter lengths.
SetCurves::Stair SetCurves::Stair::earlier(Ns by) const
{
  return {std::max<Ns>(0, from - by), until == kUnbounded ? kUnbounded : until - by, count};
}

SetCurves::SetCurves(const Streams & streams, TimesOf times)
: streams_(streams),
  times_(std::move(times)),
  after_(streams.tasks()),
  moved_(streams.tasks(), 0),
  known_(streams.tasks())
{
  std::vector<std::vector<Index>> before(
    streams.tasks());  // the set's task, and all tasks through which it is counted
  for (const MessageSet & set : streams.sets()) {
    std::vector<Index> & own = before[set.task];
    own.push_back(set.task);
    for (const Index input : streams.of(set.task)) {
      const Stream & stream = streams.all()[input];
      if (stream.curved) {
        const auto & more = before[streams.all()[stream.set].task];
        own.insert(own.end(), more.begin(), more.end());
      }
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const Index task : own) {
      after_[task].push_back(set.task);
    }
  }
}

void SetCurves::moved(Index stream, int round)
{
  const Index task = streams_.all()[stream].task;
  if (streams_.all()[stream].set == stream) {
    return;  // the stream begins with a set, and is not a message of one
  }
  for (const Index after : after_[task]) {
    moved_[after] = round;
    known_[after].clear();
  }
}

int SetCurves::moved_round(Index id) const
{
  const Stream & stream = streams_.all()[id];
  return stream.curved ? moved_[streams_.all()[stream.set].task] : 0;
}

Ns SetCurves::releases(Index stream, Ns length) const
{
  return releases_at(stream, length).count;
}

SetCurves::Stair SetCurves::arrivals_at(Ns length, Ns period, Ns jitter)
{
  const Ns count = arrivals(length, period, jitter);
  if (count == kUnbounded) {
    return {std::min(length, kUnbounded - jitter), kUnbounded, count};
  }
  const Ns first = multiply(count - 1, period) - jitter + 1;
  const Ns last = std::min(multiply(count, period), kUnbounded - 1) - jitter;
  return {first <= 1 ? 0 : first, last, count};
}

SetCurves::Stair SetCurves::releases_at(Index id, Ns length) const
{
  const Stream & stream = streams_.all()[id];
  const StreamTimes & times = times_(id);
  Stair all = arrivals_at(length, stream.period, times.released);
  if (stream.curved) {
    const Index task = streams_.all()[stream.set].task;
    const Stair complete = complete_at(task, add(length, times.since)).earlier(times.since);
    all.narrow(complete);
    all.count = std::min(all.count, complete.count);
  }
  return all;
}

SetCurves::Stair SetCurves::complete_at(Index task, Ns length) const
{
  const auto longer = [](Ns l, const Stair & stair) { return l < stair.from; };
  const Stairs & known = known_[task];
  const auto next = std::upper_bound(known.begin(), known.end(), length, longer);
  if (next != known.begin() && length <= std::prev(next)->until) {
    return *std::prev(next);
  }
  const Stair found = count(task, length);
  Stairs & stairs = known_[task];
  if (stairs.size() == kMostStairs) {
    stairs.clear();
  }
  stairs.insert(std::upper_bound(stairs.begin(), stairs.end(), length, longer), found);
  return found;
}

SetCurves::Stair SetCurves::count(Index task, Ns length) const
{
  ++counted_;
  Stair stair;
  CompleteSets complete;
  for (const auto & topic : streams_.set(task)->topics) {
    Ns messages = 0;
    for (const Index input : topic) {
      const Stair one = releases_at(input, length);
      messages = add(messages, one.count);
      stair.narrow(one);
    }
    complete.add_topic(messages);
  }
  stair.count = complete.most();
  return stair;
}

}  // namespace takt_plan::detail
