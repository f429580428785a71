#include "model/segment_ways.hpp"

#include <algorithm>
#include <utility>

namespace takt_plan::detail
{
namespace
{

/// A way that is followed back towards its beginning: the last task comes first.
struct Backwards
{
  SegmentWay way;
  Index stream = kNone;  // the stream that starts the first task found so far
};

void add_task(Backwards & back, const Streams & streams, Index stream, Index link)
{
  back.way.tasks.push_back(streams.all()[stream].task);
  back.way.links.push_back(link);
  back.stream = stream;
}

/// Follows the way back while one task starts the next one. Returns the set that starts the first
/// task on the same core, or nullptr.
const MessageSet * follow(
  Backwards & back, const Model & model, const Streams & streams, const Segments & segments)
{
  for (;;) {
    const Stream & stream = streams.all()[back.stream];
    if (stream.from.size() != 1) {
      return nullptr;
    }
    const Stream::From & from = stream.from.front();
    const Link & link = model.tasks[stream.task].triggers[from.link];
    if (!segments.local(link, stream.task)) {
      return nullptr;
    }
    if (const MessageSet * const set = streams.set(link.from)) {
      return set;
    }
    back.way.links.back() = from.link;
    add_task(back, streams, from.stream, kNone);
  }
}

SegmentWay forwards(Backwards back, Index stream)
{
  back.way.stream = stream;
  std::reverse(back.way.tasks.begin(), back.way.tasks.end());
  std::reverse(back.way.links.begin(), back.way.links.end());
  back.way.head_stream = back.stream;
  return std::move(back.way);
}

}  // namespace

SegmentWay segment_way(
  const Model & model, const Streams & streams, const Segments & segments, Index stream)
{
  Backwards back;
  add_task(back, streams, stream, kNone);
  follow(back, model, streams, segments);
  return forwards(std::move(back), stream);
}

std::vector<SegmentWay> ways_through_sets(
  const Model & model, const Streams & streams, const Segments & segments, Index stream)
{
  std::vector<SegmentWay> ways;
  std::vector<Backwards> open;
  const auto enter = [&](const Backwards & back, const MessageSet & set) {
    for (const Index input : streams.of(set.task)) {
      open.push_back(back);
      open.back().way.inputs.push_back(input);
      add_task(open.back(), streams, input, kNone);
    }
  };
  if (streams.all()[stream].set == stream) {
    enter({}, *streams.set(streams.all()[stream].task));
  } else {
    open.emplace_back();
    add_task(open.back(), streams, stream, kNone);
  }
  while (!open.empty()) {
    if (open.size() + ways.size() > kMostSegmentWays) {
      return {};
    }
    Backwards back = std::move(open.back());
    open.pop_back();
    if (const MessageSet * const set = follow(back, model, streams, segments)) {
      enter(back, *set);
    } else if (!back.way.inputs.empty()) {
      ways.push_back(forwards(std::move(back), stream));
    }
  }
  return ways;
}

}  // namespace takt_plan::detail
