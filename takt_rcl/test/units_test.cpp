// The parts that work without a middleware.
#include <gtest/gtest.h>

#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "parameters/parameter_overrides.hpp"
#include "takt_rcl/clock.hpp"
#include "takt_rcl/join.hpp"
#include "takt_rcl/memory/message_pool.hpp"
#include "takt_rcl/message_handler.hpp"
#include "takt_rcl/qos.hpp"
#include "takt_rcl/time.hpp"

namespace
{

using takt_rcl::MessagePool;

TEST(MessagePool, ReusesMessagesAndAllocatesOnlyWhenExhausted)
{
  MessagePool<std::string>::Owner pool(new MessagePool<std::string>(2));
  auto a = MessagePool<std::string>::share(pool->acquire());
  auto b = MessagePool<std::string>::unique(pool->acquire());
  EXPECT_EQ(pool->exhausted(), 0u);
  auto c = MessagePool<std::string>::share(pool->acquire());
  EXPECT_EQ(pool->exhausted(), 1u);
  *c = "outside";
  const std::string * const place = b.get();
  b.reset();
  auto d = MessagePool<std::string>::unique(pool->acquire());
  EXPECT_EQ(d.get(), place);
  EXPECT_EQ(pool->exhausted(), 1u);
}

TEST(MessagePool, SlotReturnsOnlyWithTheLastWeakPointer)
{
  MessagePool<int>::Owner pool(new MessagePool<int>(1));
  auto shared = MessagePool<int>::share(pool->acquire());
  std::weak_ptr<int> weak = shared;
  shared.reset();
  EXPECT_TRUE(weak.expired());
  auto other = MessagePool<int>::share(pool->acquire());
  EXPECT_EQ(pool->exhausted(), 1u);
  weak.reset();
  other = MessagePool<int>::share(pool->acquire());
  EXPECT_EQ(pool->exhausted(), 1u);
}

TEST(MessagePool, MessagesOutliveTheOwner)
{
  MessagePool<std::string>::Owner pool(new MessagePool<std::string>(1));
  auto kept = MessagePool<std::string>::share(pool->acquire());
  *kept = "still here";
  pool.reset();
  EXPECT_EQ(*kept, "still here");
}

TEST(MessagePool, SurvivesReturnsFromManyThreads)
{
  constexpr int kThreads = 3;
  constexpr int kRounds = 20000;
  MessagePool<std::uint64_t>::Owner pool(new MessagePool<std::uint64_t>(2 * kThreads));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const auto mark = static_cast<std::uint64_t>(t) << 32 | static_cast<std::uint64_t>(i);
        auto one = MessagePool<std::uint64_t>::share(pool->acquire());
        auto two = MessagePool<std::uint64_t>::unique(pool->acquire());
        *one = mark;
        *two = ~mark;
        wrong += *one != mark || *two != ~mark;
      }
    });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pool->exhausted(), 0u);
}

TEST(MessageHandler, ChoosesBySignature)
{
  const takt_rcl::MessageInfo info;
  int value = 0;
  const auto deliver = [&](auto function) {
    value = 0;
    const auto handler = takt_rcl::make_message_handler<int>(function, 0);
    const auto lanes = handler->make_lanes(1, 1);
    for (int i = 0; i < 3; ++i) {
      *static_cast<int *>(lanes->message(0)) = 42;
      lanes->deliver(0, info);
    }
    EXPECT_EQ(value, 42);
    return handler->allocated();
  };
  using takt_rcl::MessageInfo;
  using takt_rcl::UniqueMessage;
  EXPECT_EQ(deliver([&](const int & m) { value = m; }), 0u);
  EXPECT_EQ(deliver([&](const int & m, const MessageInfo &) { value = m; }), 0u);
  EXPECT_EQ(deliver([&](const auto & m) { value = m; }), 0u);
  EXPECT_EQ(deliver([&](std::shared_ptr<const int> m) { value = *m; }), 0u);
  EXPECT_EQ(deliver([&](const std::shared_ptr<const int> & m) { value = *m; }), 0u);
  EXPECT_EQ(deliver([&](std::shared_ptr<int> m, const MessageInfo &) { value = *m; }), 0u);
  EXPECT_EQ(deliver([&](UniqueMessage<int> m) { value = *m; }), 0u);
  EXPECT_EQ(deliver([&](std::unique_ptr<int> m) { value = *m; }), 3u);
}

// A take without a message leaves the message object in the lane.
TEST(MessageHandler, LanesReturnTheMessagesTheyStillHold)
{
  struct Counted
  {
    Counted() { ++alive(); }
    Counted(const Counted &) = delete;
    ~Counted() { --alive(); }
    static int & alive()
    {
      static int count = 0;
      return count;
    }
  };
  const auto handler = takt_rcl::make_message_handler<Counted>([](std::shared_ptr<Counted>) {}, 0);
  auto wide = handler->make_lanes(3, 1);
  for (std::uint32_t lane = 0; lane < 3; ++lane) {
    wide->message(lane);
  }
  EXPECT_EQ(Counted::alive(), 4);
  auto narrow = handler->make_lanes(1, 1);  // both exist at once: a run of the first may be in
                                            // progress
  narrow->message(0);
  narrow->deliver(0, takt_rcl::MessageInfo());
  EXPECT_EQ(Counted::alive(), 6);
  wide.reset();
  EXPECT_EQ(Counted::alive(), 2);
  narrow.reset();
  EXPECT_EQ(Counted::alive(), 0);
  EXPECT_EQ(handler->allocated(), 0u);
}

TEST(NamesNode, FollowsTheWildcardsOfParameterFiles)
{
  using takt_rcl::names_node;
  EXPECT_TRUE(names_node("/a/b", "/a/b"));
  EXPECT_TRUE(names_node("b", "/b"));
  EXPECT_FALSE(names_node("b", "/a/b"));
  EXPECT_TRUE(names_node("/**", "/b"));
  EXPECT_TRUE(names_node("/**", "/a/b/c"));
  EXPECT_TRUE(names_node("/**/c", "/a/b/c"));
  EXPECT_TRUE(names_node("/**/c", "/c"));
  EXPECT_FALSE(names_node("/**/c", "/a/b"));
  EXPECT_TRUE(names_node("/*/b", "/a/b"));
  EXPECT_FALSE(names_node("/*", "/a/b"));
  EXPECT_FALSE(names_node("/*/b", "/b"));
  EXPECT_FALSE(names_node("/a/b", "/a/bc"));
}

TEST(Join, ScopeCarriesCurrentAndJoinedActivations)
{
  const auto set = [](std::uint32_t root) {
    takt_core::ActivationSet result;
    result.add({root, 1, takt_rt::from_ns(root)});
    return result;
  };
  takt_rcl::Join<std::string> a;
  takt_rcl::Join<std::string> b;
  takt_rcl::Join<std::string> empty;
  const auto one = set(1);
  const auto two = set(2);
  const auto three = set(3);
  {
    const takt_core::ActivationScope scope(one);
    a.store("one");
  }
  {
    const takt_core::ActivationScope scope(two);
    b.store(std::make_shared<const std::string>("two"));
  }
  const takt_core::ActivationScope scope(three);
  {
    const takt_rcl::JoinScope joined(a, b, empty);
    ASSERT_NE(takt_core::current_activations(), nullptr);
    EXPECT_EQ(takt_core::current_activations()->size(), 3u);
  }
  EXPECT_EQ(takt_core::current_activations()->size(), 1u);
  EXPECT_EQ(a.get() + b.get(), "onetwo");
  // The same over a range of slots.
  const std::vector<takt_rcl::Join<std::string>> slots{a, empty, b};
  const takt_rcl::Join<std::string> array[] = {b, empty};
  EXPECT_EQ(takt_rcl::JoinScope(slots).activations().size(), 3u);
  EXPECT_EQ(takt_rcl::JoinScope(std::span(slots).first(2)).activations().size(), 2u);
  EXPECT_EQ(takt_rcl::JoinScope(array).activations().size(), 2u);
  b.clear();
  EXPECT_FALSE(b.has());
  EXPECT_TRUE(b.activations().empty());
}

TEST(Join, OutsideOfCallbacksHoldsTheMessageAlone)
{
  takt_rcl::Join<int> join;
  EXPECT_FALSE(join.has());
  join.store(7);
  EXPECT_TRUE(join.has());
  EXPECT_EQ(join.get(), 7);
  EXPECT_TRUE(join.activations().empty());
}

TEST(QoS, ArrivalDepthIsTheHistorys)
{
  EXPECT_EQ(takt_rcl::arrival_depth(takt_rcl::QoS(7).get_rmw_qos_profile()), 7u);
  EXPECT_EQ(
    takt_rcl::arrival_depth(takt_rcl::QoS(takt_rcl::KeepAll()).get_rmw_qos_profile()),
    takt_rcl::kUnboundedDepth);
}

TEST(Clock, IsOfTheTypeThatWasAsked)
{
  static_assert(!std::is_constructible_v<takt_rcl::Clock, bool>);
  const takt_rcl::Clock steady(RCL_STEADY_TIME);
  EXPECT_EQ(steady.get_clock_type(), RCL_STEADY_TIME);
  EXPECT_FALSE(steady.ros_time_is_active());
  const std::int64_t before = takt_rt::to_ns(takt_rt::now());
  const takt_rcl::Time now = steady.now();
  EXPECT_EQ(now.get_clock_type(), RCL_STEADY_TIME);
  EXPECT_GE(now.nanoseconds(), before);
  EXPECT_LE(now.nanoseconds(), takt_rt::to_ns(takt_rt::now()));
  EXPECT_GT(takt_rcl::Clock(RCL_ROS_TIME).now().seconds(), 1.6e9);
  EXPECT_GT(takt_rcl::Clock().now().seconds(), 1.6e9);
  EXPECT_THROW(takt_rcl::Clock(static_cast<rcl_clock_type_t>(0)), std::invalid_argument);
  EXPECT_TRUE(takt_rcl::Clock::simulated()->ros_time_is_active());
}

TEST(Time, CountsAsRclcppDoes)
{
  using takt_rcl::Duration;
  using takt_rcl::Time;
  EXPECT_EQ(Time(1, 2).nanoseconds(), 1'000'000'002);
  EXPECT_EQ((Time(3, 0) - Time(1, 500'000'000)).seconds(), 1.5);
  EXPECT_EQ(Time(1, 0) + Duration::from_seconds(0.25), Time(1, 250'000'000));
  EXPECT_LT(Time(1, 0, RCL_STEADY_TIME), Time(1, 1));
  EXPECT_EQ(Duration(1, 5).nanoseconds(), 1'000'000'005);
  EXPECT_EQ(Duration(std::chrono::milliseconds(3)), std::chrono::microseconds(3000));
}

TEST(Time, ConvertsToMessagesAndBack)
{
  for (const std::int64_t ns :
       {0LL, 1LL, 999'999'999LL, 1'000'000'000LL, 1'700'000'000'123'456'789LL}) {
    const takt_rcl::Time time(ns);
    EXPECT_EQ(takt_rcl::Time(builtin_interfaces::msg::Time(time)).nanoseconds(), ns);
  }
}

}  // namespace
