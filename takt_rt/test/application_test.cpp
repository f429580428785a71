// Cyclic threads and their common start: in simulated time, and on the real clock.
#include "takt_rt/application/application.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "takt_rt/application/simulated_clock.hpp"
#include "unprivileged_child.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

constexpr Time kStart{1h + 300us};

/// An application in simulated time, whose epoch is `kStart` + 10 ms.
struct Simulated
{
  SimulatedClock clock{kStart};
  Application application{[this] {
    ApplicationOptions options;
    options.clock = &clock;
    options.lock_memory = false;
    options.lead = 10ms;
    return options;
  }()};
  static constexpr Time kEpoch = kStart + 10ms;
};

CyclicOptions every(Duration period)
{
  CyclicOptions options;
  options.period = period;
  return options;
}

/// The releases of one thread, from the epoch, as its cycles saw them.
using Releases = std::vector<Duration>;

TEST(Application, AStopBeforeTheStartIsNotLost)
{
  ApplicationOptions options;
  options.lock_memory = false;
  Application application(options);
  int cycles = 0;
  application.add(every(1ms), [&](const Cycle &) { ++cycles; });
  application.stop();
  ASSERT_TRUE(application.start().ok());
  application.wait();
  EXPECT_EQ(cycles, 0);
}

TEST(Application, ReleasesAllThreadsFromOneEpoch)
{
  Simulated simulated;
  Releases fast;
  Releases slow;
  simulated.application.add(every(1ms), [&](const Cycle & cycle) {
    fast.push_back(cycle.release - Simulated::kEpoch);
    EXPECT_EQ(cycle.latency, 0ns);
  });
  CyclicOptions shifted = every(4ms);
  shifted.offset = 1500us;
  simulated.application.add(
    shifted, [&](const Cycle & cycle) { slow.push_back(cycle.release - Simulated::kEpoch); });
  const auto started = simulated.application.start();
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(started->epoch, Simulated::kEpoch);
  simulated.clock.advance(10ms - 1ns);
  EXPECT_TRUE(fast.empty()) << "no cycle before the epoch";
  simulated.clock.advance(6ms + 1ns);
  EXPECT_EQ(fast, (Releases{0ms, 1ms, 2ms, 3ms, 4ms, 5ms, 6ms}));
  EXPECT_EQ(slow, (Releases{1500us, 5500us}));
  const CyclicThread & thread = *simulated.application.threads()[0];
  EXPECT_EQ(thread.latencies().count(), 7U);
  EXPECT_EQ(thread.missed(), 0U);
}

TEST(Application, CountsFromTheHostsZeroIfAskedTo)
{
  Simulated simulated;
  std::vector<Time> releases;
  CyclicOptions options = every(5ms);
  options.offset = 2ms;
  options.epoch = CyclicEpoch::host;
  simulated.application.add(
    options, [&](const Cycle & cycle) { releases.push_back(cycle.release); });
  ASSERT_TRUE(simulated.application.start().ok());
  simulated.clock.advance(22ms);
  EXPECT_EQ(releases, (std::vector<Time>{Time{1h + 12ms}, Time{1h + 17ms}, Time{1h + 22ms}}));
}

/// Releases of a thread of 1 ms whose third cycle takes 3.2 ms, and the periods that it missed.
std::pair<Releases, std::uint64_t> after_a_long_cycle(Overrun overrun)
{
  Simulated simulated;
  Releases releases;
  CyclicOptions options = every(1ms);
  options.overrun = overrun;
  simulated.application.add(options, [&](const Cycle & cycle) {
    releases.push_back(cycle.release - Simulated::kEpoch);
    if (releases.size() == 3) {
      simulated.clock.spend(3200us);
    }
  });
  EXPECT_TRUE(simulated.application.start().ok());
  simulated.clock.advance(10ms + 8ms);
  simulated.application.stop();
  simulated.application.wait();
  const CyclicThread & thread = *simulated.application.threads()[0];
  EXPECT_EQ(thread.execution_times().max(), 3'200'000);
  EXPECT_EQ(thread.execution_times().count(), releases.size());
  EXPECT_EQ(thread.latencies().max(), 2'200'000);
  EXPECT_EQ(thread.late(), overrun == Overrun::catch_up ? 2U : 1U);
  return {releases, thread.missed()};
}

TEST(Application, FollowsItsOverrunPolicies)
{
  const auto [skipped, missed_by_skip] = after_a_long_cycle(Overrun::skip);
  EXPECT_EQ(skipped, (Releases{0ms, 1ms, 2ms, 3ms, 6ms, 7ms, 8ms}));
  EXPECT_EQ(missed_by_skip, 2U);
  const auto [caught_up, missed_by_catch_up] = after_a_long_cycle(Overrun::catch_up);
  EXPECT_EQ(caught_up, (Releases{0ms, 1ms, 2ms, 3ms, 4ms, 5ms, 6ms, 7ms, 8ms}));
  EXPECT_EQ(missed_by_catch_up, 0U);
  const auto [restarted, missed_by_restart] = after_a_long_cycle(Overrun::restart);
  EXPECT_EQ(restarted, (Releases{0ms, 1ms, 2ms, 3ms, 6200us, 7200us}));
  EXPECT_EQ(missed_by_restart, 2U);
}

TEST(Application, ACycleEndsItsThread)
{
  Simulated simulated;
  int cycles = 0;
  simulated.application.add(
    every(1ms), [&](const Cycle &) { return ++cycles == 3 ? NextCycle::stop : NextCycle::go_on; });
  ASSERT_TRUE(simulated.application.start().ok());
  simulated.clock.advance(100ms);
  simulated.application.wait();
  EXPECT_EQ(cycles, 3);
  EXPECT_TRUE(simulated.application.threads()[0]->ended());
  EXPECT_EQ(simulated.application.threads()[0]->failure(), nullptr);
}

TEST(Application, AnExceptionEndsOnlyItsThread)
{
  Simulated simulated;
  int cycles = 0;
  simulated.application.add(every(1ms), [](const Cycle &) { throw std::runtime_error("sensor"); });
  simulated.application.add(every(1ms), [&](const Cycle &) { ++cycles; });
  ASSERT_TRUE(simulated.application.start().ok());
  simulated.clock.advance(10ms + 4ms);
  EXPECT_EQ(cycles, 5);
  simulated.application.threads()[0]->wait();
  EXPECT_THROW(
    std::rethrow_exception(simulated.application.threads()[0]->failure()), std::runtime_error);
}

TEST(Application, ReportsAllInvalidOptionsAtOnce)
{
  Application application;
  CyclicOptions options = every(0ms);
  options.offset = -1ms;
  options.attributes.name = "pump";
  options.attributes.policy = Policy::fifo;
  options.attributes.priority = 100;
  application.add(options, [](const Cycle &) {});
  application.add(every(-1ms), [](const Cycle &) {});
  const auto started = application.start();
  ASSERT_FALSE(started.ok());
  const std::vector<std::string> all = sentences(started.faults());
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], "pump: the period must be positive");
  EXPECT_EQ(all[1], "pump: the offset must not be negative");
  EXPECT_EQ(all[2].rfind("pump: ", 0), 0U) << all[2];
  EXPECT_EQ(all[3], "cyclic thread 2: the period must be positive");
  EXPECT_TRUE(application.threads().empty());
}

TEST(Application, StartsOnce)
{
  Simulated simulated;
  ASSERT_TRUE(simulated.application.start().ok()) << "without threads there is nothing to do";
  const auto again = simulated.application.start();
  ASSERT_FALSE(again.ok());
}

TEST(CyclicOptions, DeadlineTakesThePeriodOfTheCycles)
{
  CyclicOptions options = every(10ms);
  options.attributes.policy = Policy::deadline;
  options.attributes.runtime = 2ms;
  EXPECT_EQ(attributes_of(options).period, 10ms);
  EXPECT_EQ(attributes_of(options).deadline, 10ms);
  options.attributes.deadline = 5ms;
  EXPECT_EQ(attributes_of(options).period, 10ms);
  EXPECT_EQ(attributes_of(options).deadline, 5ms);
}

TEST(Application, RunsAThreadUnderDeadline)
{
  Application application;
  CyclicOptions options = every(10ms);
  options.attributes.policy = Policy::deadline;
  options.attributes.runtime = 1ms;
  int cycles = 0;
  application.add(
    options, [&](const Cycle &) { return ++cycles == 5 ? NextCycle::stop : NextCycle::go_on; });
  const auto started = application.start();
  ASSERT_TRUE(started.ok()) << started.faults().front();
  application.wait();
  EXPECT_EQ(cycles, 5);
  const AttributeReport & report = application.threads()[0]->report();
  if (!report.granted_all()) {
    GTEST_SKIP() << "needs the right to SCHED_DEADLINE: " << report.faults.front();
  }
  EXPECT_EQ(report.granted.policy, Policy::deadline);
  EXPECT_EQ(report.granted.period, 10ms);
}

/// Without rights: whether it started, how many cycles ran, and the first refusal.
std::string without_rights(MissingRights missing_rights)
{
  const auto text = test::in_unprivileged_child([missing_rights] {
    SimulatedClock clock{kStart};
    ApplicationOptions all;
    all.clock = &clock;
    all.lock_memory = false;
    all.missing_rights = missing_rights;
    Application application(all);
    CyclicOptions options = every(1ms);
    options.attributes.policy = Policy::fifo;
    options.attributes.priority = 50;
    options.attributes.name = "pump";
    int cycles = 0;
    application.add(options, [&](const Cycle &) { ++cycles; });
    const auto started = application.start();
    if (started.ok()) {
      clock.advance(12ms);
    }
    application.stop();
    application.wait();
    const Faults & faults = started.ok() ? started->refused : started.faults();
    return std::string(started.ok() ? "started, " : "failed, ") + std::to_string(cycles) +
           " cycles, " + (faults.empty() ? "no fault" : to_string(faults.front()));
  });
  return text.value_or("no child");
}

TEST(Application, RunsOrFailsWithoutRightsAsItIsTold)
{
  const std::string reported = without_rights(MissingRights::report);
  EXPECT_EQ(reported.rfind("started, 3 cycles, pump: SCHED_FIFO priority 50 refused", 0), 0U)
    << reported;
  const std::string failed = without_rights(MissingRights::fail);
  EXPECT_EQ(failed.rfind("failed, 0 cycles, pump: SCHED_FIFO priority 50 refused", 0), 0U)
    << failed;
}

/// Grants everything, and keeps what it was asked.
struct Generous final : AttributeSetter
{
  AttributeReport apply(const ThreadAttributes & attributes, pid_t) override
  {
    const std::lock_guard lock(mutex);
    asked.push_back(attributes.name);
    return {attributes, attributes, {}};
  }
  Faults refusals(const ThreadAttributes &) override { return {}; }
  bool allow_realtime(int) override { return true; }

  std::mutex mutex;
  std::vector<std::string> asked;
};

TEST(Application, AsksAnotherSetterForAttributesIfItIsGivenOne)
{
  Generous setter;
  SimulatedClock clock{kStart};
  ApplicationOptions all;
  all.clock = &clock;
  all.lock_memory = false;
  all.missing_rights = MissingRights::fail;
  all.setter = &setter;
  Application application(all);
  for (const char * const name : {"pump", "valve"}) {
    CyclicOptions options = every(1ms);
    options.attributes.policy = Policy::fifo;
    options.attributes.priority = 99;
    options.attributes.name = name;
    application.add(options, [](const Cycle &) {});
  }
  ASSERT_TRUE(application.start().ok());
  std::sort(setter.asked.begin(), setter.asked.end());
  EXPECT_EQ(setter.asked, (std::vector<std::string>{"pump", "valve"}));
  EXPECT_EQ(application.threads()[1]->report().granted.priority, 99);
}

TEST(Application, GivesThreadsTheirAttributesBeforeTheFirstCycle)
{
  Application application;
  CyclicOptions options = every(1ms);
  options.attributes.name = "pump";
  options.attributes.cores = {usable_cores().back()};
  ThreadAttributes seen;
  application.add(options, [&](const Cycle &) {
    seen = read_attributes();
    return NextCycle::stop;
  });
  ASSERT_TRUE(application.start().ok());
  application.wait();
  EXPECT_EQ(seen.name, "pump");
  EXPECT_EQ(seen.cores, options.attributes.cores);
  EXPECT_EQ(application.threads()[0]->report().asked.name, "pump");
  EXPECT_EQ(application.threads()[0]->report().granted.cores, options.attributes.cores);
}

}  // namespace
}  // namespace takt_rt
