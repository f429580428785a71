// takt_data_path: the content of messages, the publisher's course, and a few messages of each way
// between real processes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "data_path/content.hpp"
#include "data_path/course.hpp"
#include "data_path/floors.hpp"
#include "data_path/ledger.hpp"
#include "data_path/measurement.hpp"
#include "data_path/missing.hpp"
#include "data_path/shared_sizes.hpp"
#include "support/own_domain.hpp"

namespace takt_bench::data_path
{
namespace
{

using namespace std::chrono_literals;
using nlohmann::ordered_json;

constexpr int kMessages = 20;
// A thread that a busy machine delays may find the next message before it sleeps.
constexpr int kAtLeast = kMessages / 2;

Setting setting_of(Variant variant, Place place)
{
  static int number = 0;
  Setting setting;
  setting.variant = variant;
  setting.place = place;
  setting.size = 4096;
  setting.messages = kMessages;
  setting.warm_up = 5;
  setting.interval = 2ms;
  setting.patience = 60s;  // only a failing test waits so long
  setting.priority = 0;
  setting.cores = takt_rt::usable_cores();
  setting.topic =
    "/takt_data_path/test" + std::to_string(::getpid()) + "_" + std::to_string(++number);
  return setting;
}

/// The measurement; a null document where this build or this middleware does not have the way.
ordered_json measured(Variant variant, Place place, std::size_t size = 4096)
{
  Setting setting = setting_of(variant, place);
  setting.size = size;
  if (!check(setting).empty() || missing(setting)) {
    return nullptr;
  }
  const auto found = measure(setting);
  EXPECT_TRUE(found.ok()) << to_string(variant) << ", " << to_string(place) << ": "
                          << (found.ok() ? "" : to_string(found.faults().front()));
  return found.ok() ? found.value() : nullptr;
}

std::size_t threads_named(const ordered_json & found, const std::string & beginning)
{
  return static_cast<std::size_t>(
    std::count_if(found["threads"].begin(), found["threads"].end(), [&](const auto & thread) {
      return thread["name"].template get<std::string>().rfind(beginning, 0) == 0;
    }));
}

const ordered_json & thread_of(const ordered_json & found, const std::string & role)
{
  const auto & threads = found["threads"];
  const auto thread = std::find_if(
    threads.begin(), threads.end(), [&](const auto & one) { return one["role"] == role; });
  if (thread == threads.end()) {
    throw std::runtime_error("no thread is the " + role);
  }
  return *thread;
}

void expect_complete(const ordered_json & found)
{
  EXPECT_EQ(found["messages"], kMessages);
  EXPECT_EQ(found["lost"], 0);
  EXPECT_EQ(found["damaged"], 0);
  EXPECT_EQ(found["latencies_ns"].size() + found["stalled_ns"].size(), std::size_t{kMessages});
  for (const auto & latency : found["latencies_ns"]) {
    EXPECT_GT(latency, 0);
  }
}

TEST(Content, IsWholeOnlyWithTheSameNumberAtBothEnds)
{
  std::vector<unsigned char> bytes(100);
  write_number(bytes.data(), bytes.size(), 7);
  write_time(bytes.data());
  const Content content = read_content(bytes.data(), bytes.size());
  EXPECT_EQ(content.number, 7u);
  EXPECT_TRUE(content.whole);
  EXPECT_LE(content.published_ns, takt_rt::to_ns(takt_rt::now()));
  bytes.back() = 1;
  EXPECT_FALSE(read_content(bytes.data(), bytes.size()).whole);
}

TEST(Ledger, KeepsTheMessagesAfterTheWarmUpAndCountsDamagedOnes)
{
  const Setting setting = setting_of(Variant::direct, Place::one_thread);
  Ledger ledger(setting);
  std::vector<unsigned char> bytes(setting.size);
  const auto arrive = [&](std::uint64_t number) {
    write_number(bytes.data(), bytes.size(), number);
    write_time(bytes.data());
    ledger.arrived(bytes.data(), bytes.size());
  };
  arrive(4);  // of the warm-up
  EXPECT_EQ(ledger.sample(0).latency_ns, -1);
  arrive(6);
  EXPECT_EQ(ledger.sample(0).latency_ns, -1);
  EXPECT_GE(ledger.sample(1).latency_ns, 0);
  EXPECT_EQ(ledger.next_number(), 7u);
  EXPECT_EQ(ledger.receiving_thread(), ::gettid());
  ledger.arrived(bytes.data(), bytes.size() - 1);
  bytes.back() ^= 1;
  ledger.arrived(bytes.data(), bytes.size());
  EXPECT_EQ(ledger.damaged(), 2u);
  EXPECT_EQ(ledger.next_number(), 7u);
}

TEST(Course, HasOneMessageUnderWay)
{
  const Setting setting = setting_of(Variant::futex, Place::same_core);
  Ledger ledger(setting);
  Course course(ledger, setting);
  EXPECT_EQ(course.turn(), 0u);
  EXPECT_EQ(course.turn(), std::nullopt);
  ledger.woken(0);
  EXPECT_EQ(course.turn(), 1u);
}

TEST(Course, EndsWhereMessagesDoNotArrive)
{
  Setting setting = setting_of(Variant::futex, Place::same_core);
  setting.patience = 0s;
  Ledger ledger(setting);
  Course course(ledger, setting);
  int published = 0;
  EXPECT_THROW(
    {
      while (!course.finished()) {
        published += course.turn().has_value();
      }
    },
    std::runtime_error);
  EXPECT_EQ(published, Course::kMostLost);
}

TEST(Measurement, TheReceiverSleepsBetweenWakeUps)
{
  const ordered_json found = measured(Variant::futex, Place::same_core);
  ASSERT_FALSE(found.is_null());
  expect_complete(found);
  EXPECT_EQ(found["threads"].size(), 2u);
  EXPECT_GE(thread_of(found, "receiver")["voluntary"], kAtLeast);
  EXPECT_GE(thread_of(found, "publisher")["voluntary"], kAtLeast);  // its sleeps
}

TEST(Measurement, AChannelHasNoThreadsButThoseOfBothSides)
{
  for (const Place place : {Place::same_core, Place::other_core}) {
    const ordered_json found = measured(Variant::direct, place);
    if (found.is_null()) {
      continue;
    }
    expect_complete(found);
    EXPECT_EQ(found["threads"].size(), 2u);
    EXPECT_GE(thread_of(found, "receiver")["voluntary"], kAtLeast);
  }
}

TEST(Measurement, SharedMemoryOfTheClientLibraryWakesTheExecutorsThread)
{
  for (const Place place : {Place::same_core, Place::other_core}) {
    for (const std::size_t size : {kSharedSizes.front(), kSharedSizes.back()}) {
      const ordered_json found = measured(Variant::shared, place, size);
      if (found.is_null()) {
        continue;
      }
      expect_complete(found);
      EXPECT_EQ(found["size"], size);
      EXPECT_GE(thread_of(found, "receiver")["voluntary"], kAtLeast);
      EXPECT_EQ(threads_named(found, "dds.dsha"), 0u);
    }
  }
}

TEST(Setting, OfSharedMemoryIsBetweenProcessesAndOfASizeThatHasAType)
{
  Setting setting = setting_of(Variant::shared, Place::same_core);
  EXPECT_TRUE(check(setting).empty());
  setting.size = 4095;
  EXPECT_FALSE(check(setting).empty());
  setting = setting_of(Variant::shared, Place::one_thread);
  EXPECT_FALSE(check(setting).empty());
}

TEST(Setting, OfRclcppIsWithinOneProcessAndNeedsTheProgramThatWasBuiltWithIt)
{
  for (const Variant variant : {Variant::rclcpp, Variant::rclcpp_pool}) {
    EXPECT_FALSE(check(setting_of(variant, Place::same_core)).empty());
    const Setting setting = setting_of(variant, Place::one_thread);
    EXPECT_TRUE(check(setting).empty());
    ASSERT_TRUE(missing(setting));
    EXPECT_NE(missing(setting)->find("takt_data_path_rclcpp"), std::string::npos);
  }
}

TEST(Setting, OfThePoolOfRclcppHasOrdinaryThreads)
{
  Setting setting = setting_of(Variant::rclcpp, Place::one_thread);
  setting.priority = 50;
  setting.cores = {0};
  EXPECT_EQ(attributes_of(setting, Side::publisher, false).policy, takt_rt::Policy::fifo);
  setting.variant = Variant::rclcpp_pool;
  for (const bool middleware : {false, true}) {
    EXPECT_EQ(attributes_of(setting, Side::publisher, middleware).policy, takt_rt::Policy::other);
  }
}

TEST(Measurement, ASequenceRunsPublisherAndReceiverOnOneThread)
{
  const ordered_json found = measured(Variant::direct, Place::one_thread);
  ASSERT_FALSE(found.is_null());
  expect_complete(found);
  EXPECT_GE(thread_of(found, "both")["voluntary"], kAtLeast);
}

TEST(Measurement, WithoutOptimisationMessagesGoThroughSockets)
{
  for (const Place place : {Place::same_core, Place::one_thread}) {
    const ordered_json found = measured(Variant::udp, place);
    if (found.is_null()) {
      continue;
    }
    expect_complete(found);
    EXPECT_GT(threads_named(found, "dds.udp"), 0u);
    EXPECT_EQ(threads_named(found, "dds.shm"), 0u);
    std::int64_t switches = 0;
    for (const auto & thread : found["threads"]) {
      if (thread["name"].get<std::string>().rfind("dds.udp", 0) == 0) {
        switches += thread["voluntary"].get<std::int64_t>();
      }
    }
    EXPECT_GE(switches, kAtLeast);  // a thread of the middleware gets each message
  }
}

TEST(Measurement, LoansBetweenProcessesAreSharedByAThreadOfTheMiddleware)
{
  const ordered_json found = measured(Variant::loans, Place::same_core);
  if (found.is_null()) {
    GTEST_SKIP() << "another middleware";
  }
  expect_complete(found);
  EXPECT_EQ(threads_named(found, "dds.dsha"), 1u);
}

TEST(Measurement, LoansInOneThreadArriveWithinThePublish)
{
  const ordered_json found = measured(Variant::loans, Place::one_thread);
  if (found.is_null()) {
    GTEST_SKIP() << "another middleware";
  }
  expect_complete(found);
  EXPECT_EQ(threads_named(found, "dds.dsha"), 0u);
  EXPECT_GE(thread_of(found, "both")["voluntary"], kAtLeast);
}

TEST(Measurement, TakesTheMiddlewareAsItIsToo)
{
  for (const Place place : {Place::same_core, Place::one_thread}) {
    const ordered_json found = measured(Variant::standard, place);
    ASSERT_FALSE(found.is_null());
    expect_complete(found);
  }
}

TEST(Measurement, ASideThatCannotStartIsAFault)
{
  for (const Place place : {Place::same_core, Place::one_thread}) {
    Setting setting = setting_of(Variant::standard, place);
    setting.topic = "/not a topic";
    const auto found = measure(setting);
    ASSERT_FALSE(found.ok());
    EXPECT_NE(to_string(found.faults().front()).find("not a topic"), std::string::npos);
  }
}

TEST(Measurement, EndsWithFewerMessagesWhenTheTimeIsOver)
{
  Setting setting = setting_of(Variant::futex, Place::same_core);
  setting.messages = 1'000'000;
  setting.longest = 50ms;
  const auto found = measure(setting);
  ASSERT_TRUE(found.ok());
  EXPECT_GE(found.value()["messages"], 1);
  EXPECT_LT(found.value()["messages"], 1'000'000);
  EXPECT_EQ(found.value()["lost"], 0);
}

TEST(Floors, GrowWithTheSizeOfACopy)
{
  const ordered_json found = floors({64, std::size_t{1} << 20});
  EXPECT_GT(found["call_ns"], 0);
  EXPECT_GT(found["clock_ns"], 0);
  ASSERT_EQ(found["copies"].size(), 2u);
  EXPECT_LT(found["copies"][0]["ns"], found["copies"][1]["ns"]);
}

}  // namespace
}  // namespace takt_bench::data_path
