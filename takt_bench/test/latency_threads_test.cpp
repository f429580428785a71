// Cyclic threads on the real kernel: attributes, load, an early end, and the messages without
// rights.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "latency/measurement.hpp"
#include "latency/report.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_rt/test/unprivileged_child.hpp"

namespace takt_bench::latency
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::Policy;

bool look(const Progress &)
{
  std::this_thread::sleep_for(5ms);
  return true;
}

Setting short_setting(Policy policy = Policy::fifo)
{
  Setting setting;
  setting.policy = policy;
  setting.duration = 50ms;
  setting.cores = {takt_rt::usable_cores().front()};
  return completed(setting);
}

std::int64_t periods(const CyclicThread & thread)
{
  const CycleStatistics & of = thread.statistics();
  return static_cast<std::int64_t>(of.ordinary.latencies.count() + of.held_up.latencies.count()) +
         of.ordinary.overruns.value() + of.held_up.overruns.value();
}

TEST(CyclicThread, RunsUnderWhatItAskedForAndReadsItBackItself)
{
  if (!takt_rt::may_use_realtime(80)) {
    GTEST_SKIP() << "needs the right to SCHED_FIFO 80";
  }
  const Setting setting = short_setting();
  const Measurement all = measure(setting, look);
  ASSERT_EQ(all.threads.size(), 1U);
  const CyclicThread & thread = *all.threads.front();
  for (const auto & attributes : {thread.report().granted, thread.at_end()}) {
    EXPECT_EQ(attributes.policy, Policy::fifo);
    EXPECT_EQ(attributes.priority, 80);
    EXPECT_EQ(attributes.cores, setting.cores);
  }
  EXPECT_TRUE(thread.report().granted_all());
  EXPECT_GE(periods(thread), 50) << "each period is a cycle or an overrun";
  EXPECT_TRUE(all.done);
  EXPECT_FALSE(all.ended_early);
}

TEST(CyclicThread, HasABusyNeighbourOfOrdinaryPolicyOnRequest)
{
  Setting setting = short_setting(Policy::other);
  setting.load = true;
  takt_rt::Duration busy{};
  int found = 0;
  const Measurement all = measure(setting, [&](const Progress &) {
    for (const auto & account : takt_rt::read_accounts()) {
      if (account.name == "load." + std::to_string(setting.cores.front())) {
        ++found;
        busy = account.counters.cpu_time;
        EXPECT_EQ(account.policy, Policy::other);
      }
    }
    std::this_thread::sleep_for(1ms);
    return true;
  });
  EXPECT_GT(found, 0);
  EXPECT_TRUE(all.done);
  // The load ends with the measurement; otherwise this test hangs. The kernel lists a joined thread
  // for a moment more.
  const auto loads = [] {
    const auto accounts = takt_rt::read_accounts();
    return std::any_of(accounts.begin(), accounts.end(), [](const auto & account) {
      return account.name.starts_with("load.");
    });
  };
  while (loads()) {
    std::this_thread::sleep_for(1ms);
  }
}

TEST(Measurement, EndsEarlyWhenItIsToldTo)
{
  Setting setting = short_setting(Policy::other);
  setting.duration = 1h;
  int looks = 0;
  const Measurement all = measure(setting, [&](const Progress & progress) {
    std::this_thread::sleep_for(2ms);
    ++looks;
    return progress.cycles < 5;
  });
  EXPECT_TRUE(all.ended_early);
  EXPECT_TRUE(all.done);
  EXPECT_GE(periods(*all.threads.front()), 5);
  EXPECT_LT(all.elapsed, setting.duration);
}

TEST(Measurement, TellsWhatWasRefusedAndMeasuresAllTheSame)
{
  const auto text = takt_rt::test::in_unprivileged_child([] {
    const Measurement all = measure(short_setting(), look);
    const auto told = report(all);
    const auto & thread = told.at("threads").at(0);
    std::string seen = all.done && !all.granted_all() ? "measured\n" : "not measured\n";
    seen += thread.at("asked").at("words").get<std::string>() + "\n";
    seen += thread.at("granted").at("policy").get<std::string>() + "\n";
    seen += thread.at("at_end").at("policy").get<std::string>() + "\n";
    seen += thread.at("granted").at("cores").dump() == thread.at("asked").at("cores").dump()
              ? "its core\n"
              : "another core\n";
    for (const auto & refused : told.at("refused")) {
      seen += refused.get<std::string>() + "\n";
    }
    return seen + std::to_string(told.at("refused").size());
  });
  ASSERT_TRUE(text.has_value());
  for (const char * part :
       {"measured\nSCHED_FIFO priority 80\nother\nother\nits core\n",
        "SCHED_FIFO priority 80 refused for this thread: CAP_SYS_NICE is missing and "
        "RLIMIT_RTPRIO is 0; add '- rtprio 98'"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\nnot in\n" << *text;
  }
}

TEST(Measurement, MeasuresNothingUnderStrictIfAnythingIsRefused)
{
  const auto text = takt_rt::test::in_unprivileged_child([] {
    Setting setting = short_setting();
    setting.strict = true;
    setting.duration = 1h;  // a test that waits for the end would take an hour
    const Measurement all = measure(setting, look);
    return std::string(all.done ? "measured" : "refused") + " " +
           std::to_string(periods(*all.threads.front())) + " " +
           (refusals(all).empty() ? "without a word" : "with a sentence");
  });
  EXPECT_EQ(text, "refused 0 with a sentence");
}

TEST(Measurement, EndsTheThreadsThatItHasIfItCannotHaveAll)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root, to become a user without other threads";
  }
  for (const rlim_t most :
       {1, 2}) {  // this thread, and the cyclic thread without its busy neighbour
    const auto text = takt_rt::test::in_unprivileged_child([most]() -> std::string {
      const rlimit limit{most, most};
      ::setrlimit(RLIMIT_NPROC, &limit);
      Setting setting = short_setting(Policy::other);
      setting.load = true;
      try {
        measure(setting, look);
        return "measured";
      } catch (const std::system_error & error) {
        return error.what();
      }
    });
    ASSERT_TRUE(text.has_value());
    EXPECT_TRUE(text->starts_with("the kernel refuses another thread")) << *text;
  }
}

TEST(Setting, CompletesEachPolicy)
{
  const Setting fifo = completed({});
  EXPECT_EQ(fifo.priority, 80);
  EXPECT_EQ(fifo.cores, takt_rt::usable_cores());
  Setting deadline;
  deadline.policy = Policy::deadline;
  const auto attributes = attributes_of(completed(deadline), 0);
  EXPECT_EQ(attributes.runtime, 100us);
  EXPECT_EQ(attributes.deadline, 1ms);
  EXPECT_EQ(attributes.period, 1ms);
  EXPECT_TRUE(attributes.cores.empty());
  deadline.runtime = 300us;
  deadline.deadline = 500us;
  deadline.period = 2ms;
  const auto given = attributes_of(completed(deadline), 1);
  EXPECT_EQ(given.runtime, 300us);
  EXPECT_EQ(given.deadline, 500us);
  EXPECT_EQ(given.period, 2ms);
}

TEST(Setting, FaultsAreToldOnceForAllThreads)
{
  Setting setting;
  setting.policy = Policy::other;
  setting.priority = 5;
  EXPECT_EQ(check(completed(setting)).size(), 1U);
  setting = {};
  setting.interval = 1us;
  setting.duration = 10ns;
  EXPECT_EQ(check(completed(setting)).size(), 2U);
  EXPECT_TRUE(check(completed({})).empty());
}

}  // namespace
}  // namespace takt_bench::latency
