// The transport that a schedule gives a topic.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <std_msgs/msg/string.hpp>
#include <std_msgs/msg/u_int64.hpp>

#include "ros_test.hpp"
#include "takt_channel/channel.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_rcl::test
{
namespace
{

using std_msgs::msg::String;
using std_msgs::msg::UInt64;

std::string text_with(const std::string & topics)
{
  return "version: 1\nexecutors:\n  main: {threads: {t: {}}, default: t}\ntopics:\n" + topics;
}

class TopicTransport : public RosTest
{
protected:
  void SetUp() override
  {
    if (!takt_channel::available()) {
      GTEST_SKIP() << "this build of takt has no channels";
    }
    RosTest::SetUp();
  }
  Executor executor_with(const std::string & topics)
  {
    const auto schedule = takt_schedule::parse_schedule(text_with(topics), "schedule.yaml");
    EXPECT_TRUE(schedule) << to_string(schedule.faults().front());
    return Executor::from_schedule(context, schedule.value(), "main");
  }
};

TEST_F(TopicTransport, TheScheduleDecidesForTheTopicsThatItsRulesMatch)
{
  auto executor = executor_with(
    "  - {match: \"/camera/*\", transport: shared_memory}\n"
    "  - {match: \"/camera/info\", transport: middleware}\n");
  const auto one = node("one");
  PublisherOptions wanted;
  wanted.transport = Transport::shared_memory;
  std::vector<std::uint64_t> seen;
  const auto image = one->create_publisher<UInt64>("/camera/image", 10);
  const auto info = one->create_publisher<UInt64>("/camera/info", 10, wanted);
  const auto other = one->create_publisher<UInt64>("/other", 10, wanted);
  const auto words = one->create_publisher<String>("/camera/words", 10);
  EXPECT_TRUE(image->uses_shared_memory());
  EXPECT_FALSE(info->uses_shared_memory()) << "a rule has precedence over the program";
  EXPECT_TRUE(other->uses_shared_memory()) << "no rule: as the program says";
  EXPECT_FALSE(words->uses_shared_memory()) << "no plain type";
  const auto images = one->create_subscription<UInt64>(
    "/camera/image", 10, [&](const UInt64 & message) { seen.push_back(message.data); });
  const auto infos = one->create_subscription<UInt64>("/camera/info", 10, [](const UInt64 &) {});
  const auto polled = one->create_polling_subscription<UInt64>("/camera/image", 10);
  EXPECT_TRUE(images->uses_shared_memory());
  EXPECT_FALSE(infos->uses_shared_memory());
  EXPECT_TRUE(polled->uses_shared_memory());
  executor.add_node(one);
  EXPECT_EQ(images->transport(), "shared_memory");
  EXPECT_EQ(infos->transport(), "middleware");
  UInt64 message;
  message.data = 7;
  image->publish(message);
  ASSERT_TRUE(spin_until(executor, [&] { return !seen.empty(); }));
  EXPECT_EQ(seen, std::vector<std::uint64_t>{7});
  EXPECT_EQ(polled->count(), 1U);
}

TEST_F(TopicTransport, ASubscriptionKnowsThatItsMessagesComeByPointer)
{
  const auto one = std::make_shared<Node>("one", options().use_intra_process_comms(true));
  const auto subscription = one->create_subscription<UInt64>("/numbers", 10, [](const UInt64 &) {});
  EXPECT_EQ(subscription->transport(), "pointer");
}

TEST_F(TopicTransport, ToolsGetOneMessageInEachCopyPeriod)
{
  auto executor = executor_with(
    "  - {match: \"/numbers\", transport: shared_memory, copy_period: 60min}\n"
    "  - {match: \"/tool\", transport: middleware}\n");
  const auto one = node("one");
  const auto publisher = one->create_publisher<UInt64>("/numbers", 10);
  std::uint64_t by_channel = 0;
  const auto subscription =
    one->create_subscription<UInt64>("/numbers", 10, [&](const UInt64 &) { ++by_channel; });
  executor.add_node(one);
  // A tool is another program, which has no such schedule: here a context of its own.
  auto outside = std::make_shared<Context>();
  InitOptions init;
  init.shutdown_on_signal = false;
  init.configure_logging = false;
  outside->init(0, nullptr, init);
  {
    Node tool("tool", NodeOptions().context(outside));
    std::uint64_t copies = 0;
    const auto copied =
      tool.create_subscription<UInt64>("/numbers", 10, [&](const UInt64 &) { ++copies; });
    Executor others(outside);
    others.add_node(tool);
    ASSERT_TRUE(publisher->wait_for_matched(2, kPatience));
    ASSERT_TRUE(copied->wait_for_matched(1, kPatience));
    UInt64 message;
    for (int i = 0; i < 5; ++i) {
      publisher->publish(message);
    }
    ASSERT_TRUE(spin_until(executor, [&] { return by_channel == 5; }));
    ASSERT_TRUE(spin_until(others, [&] { return copies == 1; }));
    others.spin_some();
    EXPECT_EQ(copies, 1U);
  }
  outside->shutdown();
}

template <typename Function>
std::string error_of(const Function & function)
{
  try {
    function();
  } catch (const Error & error) {
    return error.what();
  }
  return "none";
}

TEST_F(TopicTransport, AScheduleThatComesTooLateForATopicIsRefused)
{
  const auto one = node("one");
  auto early = one->create_publisher<UInt64>("/numbers", 10);
  const std::string rule = "  - {match: \"/numbers\", transport: shared_memory}\n";
  const std::string error = error_of([&] { executor_with(rule); });
  EXPECT_NE(
    error.find(
      "schedule.yaml:5:5: topic '/numbers' has transport: shared_memory, and the program made a "
      "publisher or a subscription of it before it had the schedule"),
    std::string::npos)
    << error;
  EXPECT_FALSE(one->create_publisher<UInt64>("/numbers", 10)->uses_shared_memory())
    << "a refused schedule changes nothing";
  early.reset();
  auto executor = executor_with(rule);
  EXPECT_TRUE(one->create_publisher<UInt64>("/numbers", 10)->uses_shared_memory());
}

TEST_F(TopicTransport, TheFileOfTheProcessHoldsFromTheBeginning)
{
  const std::filesystem::path file =
    std::filesystem::temp_directory_path() / ("takt_topics_" + std::to_string(::getpid()));
  std::ofstream(file) << text_with("  - {match: \"/numbers\", transport: shared_memory}\n");
  ::setenv("TAKT_SCHEDULE", file.c_str(), 1);
  auto own = std::make_shared<Context>();
  InitOptions init;
  init.shutdown_on_signal = false;
  init.configure_logging = false;
  own->init(0, nullptr, init);
  ::unsetenv("TAKT_SCHEDULE");
  {
    Node one("one", NodeOptions().context(own));
    EXPECT_TRUE(one.create_publisher<UInt64>("/numbers", 10)->uses_shared_memory());
  }
  own->shutdown();
  std::filesystem::remove(file);
}

TEST_F(TopicTransport, AQualityOfServiceThatNoChannelHasIsRefused)
{
  auto executor = executor_with("  - {match: \"/numbers\", transport: shared_memory}\n");
  const auto one = node("one");
  EXPECT_NE(
    error_of([&] {
      one->create_publisher<UInt64>("/numbers", QoS(1).transient_local());
    }).find("'/numbers': transport shared_memory is for a history of KEEP_LAST"),
    std::string::npos);
}

}  // namespace
}  // namespace takt_rcl::test
