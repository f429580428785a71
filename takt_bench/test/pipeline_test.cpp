// takt_pipeline: the pipeline's shape, and a moment of it in each way.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "pipeline/layout.hpp"
#include "pipeline/run.hpp"
#include "support/own_domain.hpp"

namespace takt_bench::pipeline
{
namespace
{

using namespace std::chrono_literals;
using nlohmann::ordered_json;

ordered_json moment(Kind kind, takt_rt::Duration duration = 1s)  // thirty iterations
{
  Setting setting;
  setting.kind = kind;
  setting.duration = duration;
  setting.core = takt_rt::usable_cores().front();
  setting.priority = 0;
  setting.prefix = "/takt_pipeline/test" + std::to_string(::getpid()) + "_" +
                   std::to_string(static_cast<int>(kind));
  const auto found = run(setting);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : to_string(found.faults().front()));
  return found.ok() ? found.value() : ordered_json();
}

std::int64_t executor_threads(const ordered_json & found)
{
  std::int64_t count = 0;
  for (const auto & thread : found["threads"]) {
    count += thread["executor"].get<bool>() ? 1 : 0;
  }
  return count;
}

TEST(Layout, HasFiftyPublishersAHundredSubscriptionsAndMessagesUpToFourMebibytes)
{
  std::map<int, int> readers;
  std::size_t largest = 0;
  std::size_t smallest = 1U << 30;
  for (int node = 0; node < kNodes; ++node) {
    const Place place = place_of(node);
    EXPECT_EQ(number_of(place), node);
    ++readers[number_of(lane_input(place))];
    ++readers[number_of(stored_input(place))];
    largest = std::max(largest, size_of(place));
    smallest = std::min(smallest, size_of(place));
  }
  EXPECT_EQ(readers.size(), 50u);
  for (const auto & [node, count] : readers) {
    EXPECT_EQ(count, 2) << node;
  }
  EXPECT_EQ(largest, std::size_t{4} << 20);
  EXPECT_EQ(smallest, 64u);
}

TEST(Run, EachWayInOneProcessBringsMessagesToTheEndOfEveryLane)
{
  for (const Kind kind : {Kind::pool, Kind::one_thread, Kind::storing, Kind::sequences}) {
    const ordered_json found = moment(kind);
    ASSERT_FALSE(found.is_null());
    EXPECT_EQ(found["processes"], 1);
    EXPECT_EQ(executor_threads(found), kind == Kind::pool ? 4 : 1);
    EXPECT_GE(found["iterations"], 1);
    EXPECT_EQ(found["refused_publishes"], 0);
    EXPECT_GE(found["latencies_ns"].size() + found["stalled_ns"].size(), 1u);
    // A machine that stands still for half a second leaves one iteration; a lane that loses its
    // messages leaves all.
    EXPECT_LE(found["unfinished"], kLanes);
    for (const auto & latency : found["latencies_ns"]) {
      // Five nodes work for each message.
      EXPECT_GE(latency, kStages * kWork.count());
    }
  }
}

TEST(Run, LastsUntilEachLaneHasBegun)
{
  // A busy machine may leave no iteration in a second of fifty processes; a nanosecond has none.
  const ordered_json found = moment(Kind::sequences, 1ns);
  ASSERT_FALSE(found.is_null());
  EXPECT_GE(found["iterations"], 1);
  EXPECT_GT(found["duration_ns"], 1);
}

TEST(Run, AProcessForEachNodeIsFiftyProcesses)
{
  const ordered_json found = moment(Kind::processes);
  ASSERT_FALSE(found.is_null());
  EXPECT_EQ(found["processes"], kNodes);
  EXPECT_EQ(executor_threads(found), kNodes);
  EXPECT_GE(found["iterations"], 1);
}

}  // namespace
}  // namespace takt_bench::pipeline
