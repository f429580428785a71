// A group with logical execution time of a schedule, with a real middleware and by pointer.
#include <rcutils/logging.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ros_test.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{

using Number = std_msgs::msg::UInt64;
using std::chrono::milliseconds;

constexpr milliseconds kPeriod{20};

class LogicalTime : public RosTest
{
protected:
  Executor executor_with(const std::string & let, const std::string & more = "")
  {
    const auto schedule = takt_schedule::parse_schedule(
      "version: 1\nexecutors:\n  main:\n    threads: {t: {count: 2}}\n    default: t\n    groups:\n"
      "      - {match: \"/n:group(default)\", let: " +
        let + "}\n" + more,
      "schedule.yaml");
    EXPECT_TRUE(schedule);
    return Executor::from_schedule(context, schedule.value(), "main");
  }
};

std::uint64_t ns(takt_rt::Time time)
{
  return static_cast<std::uint64_t>(takt_rt::to_ns(time));
}

TEST_F(LogicalTime, APublisherThatKeepsAllMessagesPublishesNothingInSuchAGroup)
{
  Executor executor = executor_with("true");
  auto node = this->node("n");
  auto keeps_all = node->create_publisher<Number>("/all", QoS(KeepAll()));
  auto generic = node->create_generic_publisher("/bytes", "std_msgs/msg/UInt64", QoS(KeepAll()));
  auto keeps_last = node->create_publisher<Number>("/last", 10);
  const Number message;
  SerializedMessage bytes;
  Serialization<Number>().serialize_message(&message, &bytes);
  auto timer = node->create_wall_timer(kPeriod, [&] {
    EXPECT_EQ(keeps_all->publish(message), 0U);
    EXPECT_EQ(keeps_all->publish(std::make_unique<Number>()), 0U);
    EXPECT_EQ(generic->publish(bytes), 0U);
    EXPECT_EQ(keeps_last->publish(message), Publisher<Number>::kHeld);
    executor.cancel();
  });
  executor.add_node(node);
  executor.spin();
  EXPECT_GE(keeps_all->failed_publishes(), 2U);
  EXPECT_GE(generic->failed_publishes(), 1U);
  EXPECT_EQ(keeps_all->last_sequence(), 0U);
  EXPECT_NE(keeps_all->publish(message), 0U) << "outside of the group as ever";
}

std::atomic<int> late_inputs{0};

void count_late_inputs(
  const rcutils_log_location_t *, int, const char *, rcutils_time_point_value_t,
  const char * format, va_list *)
{
  late_inputs += std::string_view(format).find("takes messages of") != std::string_view::npos;
}

TEST_F(LogicalTime, WarnsOnceOfACallbackThatTakesMessagesByItself)
{
  Executor executor = executor_with("true");
  auto node = this->node("n");
  auto polled = node->create_polling_subscription<Number>("/polled", 10);
  auto outside = node->create_polling_subscription<Number>("/outside", 10);
  auto other = this->node("other");
  auto taken = other->create_subscription<Number>("/taken", 10, [](const Number &) {});
  int runs = 0;
  auto timer = node->create_wall_timer(kPeriod, [&] {
    Number message;
    MessageInfo info;
    std::vector<Number> messages(2);
    polled->take(message);
    polled->take_sequence(messages);
    taken->take(message, info);
    if (++runs == 2) {
      executor.cancel();
    }
  });
  const rcutils_logging_output_handler_t former = rcutils_logging_get_output_handler();
  rcutils_logging_set_output_handler(&count_late_inputs);
  Number message;
  outside->take(message);
  executor.add_node(node);
  executor.spin();
  rcutils_logging_set_output_handler(former);
  EXPECT_EQ(late_inputs, 2);
}

TEST_F(LogicalTime, AnInputIsReadAtTheReleaseAndAnOutputComesOutOnePeriodLater)
{
  for (const bool by_pointer : {false, true}) {
    Executor executor = executor_with("true");
    NodeOptions within = options();
    within.use_intra_process_comms(by_pointer);
    auto node = std::make_shared<Node>("n", within);
    auto other = std::make_shared<Node>("other", within);
    auto output = node->create_publisher<Number>("/output", 100);
    auto given = node->create_publisher<Number>("/given", 100);
    auto input = other->create_publisher<Number>("/input", 100);
    std::uint64_t release = 0;
    std::uint64_t inputs = 0;
    std::uint64_t newest_input = 0;
    auto in = node->create_subscription<Number>("/input", 100, [&](const Number & message) {
      ++inputs;
      EXPECT_GT(message.data, newest_input);
      newest_input = message.data;
      Number told;
      told.data = 0;  // an input's callback publishes with the run that takes it
      EXPECT_EQ(output->publish(told), Publisher<Number>::kHeld);
    });
    std::vector<std::uint64_t> releases;
    auto timer = node->create_wall_timer(kPeriod, [&](Timer &, const TimerInfo & info) {
      release = static_cast<std::uint64_t>(info.expected_call_time.nanoseconds());
      releases.push_back(release);
      EXPECT_LE(newest_input, release);
      Number message;
      message.data = release;
      EXPECT_EQ(output->publish(message), Publisher<Number>::kHeld);
      EXPECT_EQ(given->publish(std::make_unique<Number>(message)), Publisher<Number>::kHeld);
    });
    std::vector<std::uint64_t> got;
    std::vector<std::uint64_t> got_given;
    std::uint64_t from_inputs = 0;
    std::uint64_t early = 0;
    auto reader = other->create_subscription<Number>("/output", 100, [&](const Number & message) {
      if (message.data == 0) {
        ++from_inputs;
        return;
      }
      early += ns(takt_rt::now()) < message.data + takt_rt::Duration(kPeriod).count() ? 1 : 0;
      got.push_back(message.data);
      Number next;
      next.data = ns(takt_rt::now());
      EXPECT_NE(input->publish(next), 0U);
    });
    auto reader_given =
      other->create_subscription<Number>("/given", 100, [&](const Number & message) {
        got_given.push_back(message.data);
        if (got_given.size() == 10) {
          executor.cancel();
        }
      });
    executor.add_node(node);
    executor.add_node(other);
    EXPECT_TRUE(output->wait_for_matched(1, kPatience));
    EXPECT_TRUE(given->wait_for_matched(1, kPatience));
    EXPECT_TRUE(input->wait_for_matched(1, kPatience));
    executor.spin();
    EXPECT_EQ(early, 0U);
    ASSERT_GE(got.size(), 10U);
    ASSERT_GE(releases.size(), got.size());
    got.resize(10);
    releases.resize(10);
    got_given.resize(10);
    EXPECT_EQ(got, releases);
    EXPECT_EQ(got_given, releases);
    EXPECT_GT(from_inputs, 0U);
    EXPECT_LE(from_inputs, inputs);
  }
}

TEST_F(LogicalTime, OutputsOfALateRunAreDroppedWhereTheScheduleSaysSo)
{
  Executor executor = executor_with("{late: drop}");
  auto node = this->node("n");
  auto other = this->node("other");
  auto output = node->create_publisher<Number>("/output", 100);
  std::uint64_t runs = 0;
  auto timer = node->create_wall_timer(kPeriod, [&](Timer &, const TimerInfo & info) {
    Number message;
    message.data = ++runs;
    EXPECT_EQ(output->publish(message), Publisher<Number>::kHeld);
    if (runs % 2 == 1) {
      while (ns(takt_rt::now()) <
             static_cast<std::uint64_t>(info.expected_call_time.nanoseconds()) +
               takt_rt::Duration(kPeriod).count()) {
      }
    }
  });
  std::vector<std::uint64_t> got;
  auto reader = other->create_subscription<Number>("/output", 100, [&](const Number & message) {
    got.push_back(message.data);
    if (got.size() == 3) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.add_node(other);
  EXPECT_TRUE(output->wait_for_matched(1, kPatience));
  executor.spin();
  ASSERT_GE(got.size(), 3U);
  for (const std::uint64_t number : got) {
    EXPECT_EQ(number % 2, 0U);
  }
}

TEST_F(LogicalTime, APublisherThatItsOwnerLetsGoStillPublishesWhatItHolds)
{
  Executor executor = executor_with("true");
  auto node = this->node("n");
  auto other = this->node("other");
  PublisherOptions with_event;  // its end removes a callback from the executor
  with_event.event_callbacks.matched_callback = [](MatchedInfo &) {};
  auto output = node->create_publisher<Number>("/output", 100, with_event);
  EXPECT_EQ(output.use_count(), 1);
  auto timer = node->create_wall_timer(kPeriod, [&](Timer &, const TimerInfo &) {
    if (output != nullptr) {
      EXPECT_EQ(output->publish(Number()), Publisher<Number>::kHeld);
      output.reset();
    }
  });
  auto reader =
    other->create_subscription<Number>("/output", 100, [&](const Number &) { executor.cancel(); });
  EXPECT_TRUE(output->wait_for_matched(1, kPatience));
  executor.add_node(node);
  executor.add_node(other);
  executor.spin();
  EXPECT_EQ(output, nullptr);
}

// The last owner of the publisher is the held message, which goes out when the timer leaves.
TEST_F(LogicalTime, ATimerThatEndsPublishesWhatIsHeldAndEndsItsPublisher)
{
  Executor executor =
    executor_with("true", "    callbacks:\n      - {match: \"/n:timer(*)\", offset: 0ms}\n");
  auto node = this->node("n");
  auto other = this->node("other");
  PublisherOptions with_event;
  with_event.event_callbacks.matched_callback = [](MatchedInfo &) {};
  auto output = node->create_publisher<Number>("/output", 100, with_event);
  std::atomic<int> got{0};
  auto reader = other->create_subscription<Number>("/output", 100, [&](const Number &) { ++got; });
  std::atomic<int> runs{0};
  auto timer = node->create_wall_timer(std::chrono::hours(1), [&](Timer &, const TimerInfo &) {
    EXPECT_EQ(output->publish(Number()), Publisher<Number>::kHeld);
    output.reset();
    ++runs;
  });
  EXPECT_TRUE(output->wait_for_matched(1, kPatience));
  executor.add_node(node);
  executor.add_node(other);
  std::thread spinning([&] { executor.spin(); });
  EXPECT_TRUE(wait_until([&] { return runs == 1; }));
  EXPECT_EQ(got, 0);
  timer.reset();
  EXPECT_TRUE(wait_until([&] { return got == 1; }));
  executor.cancel();
  spinning.join();
}

TEST_F(LogicalTime, RefusesAReentrantGroup)
{
  const auto schedule = takt_schedule::parse_schedule(
    "version: 1\nexecutors:\n  main:\n    threads: {t: {}}\n    default: t\n    groups:\n"
    "      - {match: \"/n:group(*)\", let: true}\n",
    "schedule.yaml");
  ASSERT_TRUE(schedule);
  Executor executor = Executor::from_schedule(context, schedule.value(), "main");
  auto node = this->node("n");
  executor.add_node(node);
  const auto group = node->create_callback_group(CallbackGroupType::Reentrant);
  try {
    node->create_wall_timer(
      kPeriod, [] {}, group);
    FAIL() << "a reentrant group was accepted";
  } catch (const Error & error) {
    EXPECT_NE(
      std::string(error.what()).find("needs a mutually exclusive group"), std::string::npos);
  }
}

TEST_F(LogicalTime, RefusesATimerOnSimulatedTime)
{
  restart({"-p", "use_sim_time:=true"});
  Executor executor = executor_with("true");
  auto node = this->node("n");
  executor.add_node(node);
  try {
    node->create_timer(kPeriod, [] {});
    FAIL() << "a timer on simulated time was accepted";
  } catch (const Error & error) {
    EXPECT_NE(std::string(error.what()).find("runs on simulated time"), std::string::npos);
  }
}

}  // namespace takt_rcl::test
