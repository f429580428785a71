// The perception pipeline: 50 nodes in ten lanes of five stages, each with one publisher and two
// subscriptions, 30 times a second.
//
// The first stage of a lane has a timer. Each node works when the message of the stage before it in
// its lane has come. Its second input is that of the next lane: it only stores the newest message
// for the work. The first stages store messages of the last ones. A lane's messages are a quarter
// of the size from stage to stage, at least 64 bytes; the largest is 4 MiB.
#ifndef TAKT_BENCH__SRC__PIPELINE__LAYOUT_HPP_
#define TAKT_BENCH__SRC__PIPELINE__LAYOUT_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "takt_rt/time.hpp"

namespace takt_bench::pipeline
{

constexpr int kLanes = 10;
constexpr int kStages = 5;
constexpr int kNodes = kLanes * kStages;
constexpr takt_rt::Duration kPeriod = std::chrono::nanoseconds(33'333'333);
/// CPU time of a node for each message of its lane.
constexpr takt_rt::Duration kWork = std::chrono::microseconds(50);

/// A node's place.
struct Place
{
  int lane = 0;
  int stage = 0;
};

constexpr Place place_of(int node) noexcept
{
  return {node / kStages, node % kStages};
}
constexpr int number_of(Place place) noexcept
{
  return place.lane * kStages + place.stage;
}

/// Bytes of the messages that a node publishes.
constexpr std::size_t size_of(Place place) noexcept
{
  return std::max<std::size_t>((std::size_t{4} << 20) >> (2 * (place.lane + place.stage)), 64);
}

/// The node whose messages start the work; of the first stage, which a timer starts, a second
/// stored input.
constexpr Place lane_input(Place place) noexcept
{
  return {place.lane, place.stage == 0 ? kStages - 1 : place.stage - 1};
}
/// The node whose newest message is stored.
constexpr Place stored_input(Place place) noexcept
{
  return {(place.lane + 1) % kLanes, lane_input(place).stage};
}

inline std::string lane_name(int lane)
{
  return "lane" + std::to_string(lane);
}
inline std::string node_name(Place place)
{
  return lane_name(place.lane) + "_stage" + std::to_string(place.stage);
}
inline std::string topic_of(const std::string & prefix, Place place)
{
  return prefix + "/" + node_name(place);
}

}  // namespace takt_bench::pipeline

#endif  // TAKT_BENCH__SRC__PIPELINE__LAYOUT_HPP_
