// Logical execution time in virtual time, with numbers worked out by hand: what the tests of the
// running executor (takt_core/test/executor/logical_time_test.cpp) see, at exact times. Times are
// in milliseconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/from_text.hpp"
#include "takt_plan/simulate.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

using Jobs = std::vector<std::string>;

/// A controller with a period of 20 ms, a reader of its commands on another core, and further
/// callbacks.
std::string system_of(const std::string & more = {}, const std::string & time = "3ms")
{
  return R"yaml(
version: 1
hosts: {car: {cores: 3}}
overheads: {}
groups: {"/ctl:group(0)": mutually_exclusive, "/act:group(0)": mutually_exclusive}
callbacks:
  - {id: "/ctl:timer(20ms)", group: "/ctl:group(0)", period: 20ms, offset: 0ms, publishes: /cmd, time: )yaml" +
         time + "}\n" + R"yaml(
  - {id: "/read:sub(/cmd)", time: 1ms, triggers: /cmd}
)yaml" + more +
         R"yaml(
chains:
  command: {path: ["/ctl:timer(20ms)", "/read:sub(/cmd)"]}
)yaml";
}

std::string schedule_of(const std::string & rules = {}, const std::string & let = "true")
{
  return R"yaml(
version: 1
executors:
  main:
    order: priority
    threads:
      t: {policy: fifo, priority: 50, cores: [0]}
      u: {policy: fifo, priority: 50, cores: [1]}
      v: {policy: fifo, priority: 60, cores: [2]}
    default: t
    callbacks:
      - {match: "/read:**", threads: u}
)yaml" + rules +
         R"yaml(
    groups:
      - {match: "/*:group(0)", let: )yaml" +
         let + "}\n";
}

SimulationOptions until(Ns duration)
{
  SimulationOptions options;
  options.duration = duration;
  return options;
}

Jobs jobs_of(const std::string & system, const std::string & schedule, Ns duration = 60 * kMs)
{
  return test::jobs(test::from_text(system, schedule), until(duration), kMs);
}

SimulationResult result_of(const std::string & system, const std::string & schedule)
{
  const auto result = simulate(test::from_text(system, schedule), until(60 * kMs));
  EXPECT_TRUE(result.ok());
  return *result;
}

TEST(SimulateLet, OutputsArriveAtTheBorder)
{
  EXPECT_EQ(
    jobs_of(system_of(), schedule_of()),
    (Jobs{"ctl 0-3", "ctl 20-23", "read 20-21", "ctl 40-43", "read 40-41", "read 60-61"}));
  const SimulationResult result = result_of(system_of(), schedule_of());
  EXPECT_EQ(result.chains[0].responses.worst.time(), 21 * kMs);
  EXPECT_EQ(result.tasks[0].late_runs, 0U);
  EXPECT_EQ(result.tasks[1].responses.worst.time(), 1 * kMs);
}

TEST(SimulateLet, AMessageThatCameAfterTheReleaseBelongsToTheNextPeriod)
{
  const std::string system = system_of(R"yaml(
  - {id: "/cam:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /image}
  - {id: "/in:sub(/image)", group: "/ctl:group(0)", time: 1ms, triggers: /image}
  - {id: "/block:timer(1s)", time: 8ms, period: 1s, offset: 35ms}
)yaml");
  Jobs jobs = jobs_of(system, schedule_of("      - {match: \"/cam:**\", threads: v}\n"), 70 * kMs);
  std::erase_if(jobs, [](const std::string & job) {
    return !job.starts_with("in") && !job.starts_with("ctl");
  });
  // Images come at 1, 11, 21 and so on. The blocker delays the controller until 43, when that of 41
  // is there.
  EXPECT_EQ(
    jobs, (Jobs{
            "ctl 0-3", "in 20-21", "in 21-22", "ctl 22-25", "in 43-44", "in 44-45", "ctl 45-48",
            "in 60-61", "in 61-62", "ctl 62-65"}));
}

TEST(SimulateLet, ATimerReadsWhatArrivedByItsRelease)
{
  const std::string system = R"yaml(
version: 1
hosts: {car: {cores: 3}}
overheads: {}
groups: {"/ctl:group(0)": mutually_exclusive, "/act:group(0)": mutually_exclusive}
callbacks:
  - {id: "/cam:timer(20ms)", time: 1ms, period: 20ms, offset: 0ms, publishes: /image}
  - {id: "/ctl:timer(20ms)", group: "/ctl:group(0)", period: 20ms, offset: 20ms, reads: /image, time: 3ms}
  - {id: "/block:timer(20ms)", time: 5ms, period: 20ms, offset: 18ms}
chains:
  seen: {path: ["/cam:timer(20ms)", "/ctl:timer(20ms)"]}
)yaml";
  const std::string rules = "      - {match: \"/cam:**\", threads: v}\n";
  // The controller begins at 23, when the image of 21 is there; it uses that of 1.
  EXPECT_EQ(result_of(system, schedule_of(rules)).chains[0].responses.worst.time(), (20 + 6) * kMs);
}

TEST(SimulateLet, GroupsExchangeTheSameWhateverTheThreads)
{
  const std::string system = system_of(R"yaml(
  - {id: "/in:sub(/cmd)", group: "/act:group(0)", time: 1ms, triggers: /cmd}
  - {id: "/act:timer(20ms)", group: "/act:group(0)", time: 2ms, period: 20ms, offset: 0ms}
)yaml");
  for (const std::string threads : {"t", "u", "v"}) {
    for (const std::string priority : {"1", "200"}) {
      const std::string schedule = schedule_of(
        "      - {match: \"/act:**\", priority: " + priority + ", threads: " + threads +
        "}\n      - {match: \"/in:**\", threads: " + threads + "}\n");
      const Jobs jobs = jobs_of(system, schedule);
      const auto runs = std::count_if(
        jobs.begin(), jobs.end(), [](const std::string & job) { return job.starts_with("in"); });
      // The command of 0 is there at the border of 20, and the release of 20 takes it.
      EXPECT_EQ(runs, 2) << threads << priority;
      EXPECT_EQ(result_of(system, schedule).tasks[2].waiting, 1U) << threads << priority;
    }
  }
}

TEST(SimulateLet, ALateRunPublishesAtItsEndOrNever)
{
  EXPECT_EQ(
    jobs_of(system_of({}, "25ms"), schedule_of(), 30 * kMs),
    (Jobs{"ctl 0-25", "ctl 25-50", "read 25-26", "read 50-51"}));
  EXPECT_EQ(
    jobs_of(system_of({}, "25ms"), schedule_of({}, "{late: drop}"), 30 * kMs),
    (Jobs{"ctl 0-25", "ctl 25-50"}));
  EXPECT_EQ(result_of(system_of({}, "25ms"), schedule_of()).tasks[0].late_runs, 3U);
}

// At the border itself a run is late, as for the executor.
TEST(SimulateLet, ARunThatEndsAtItsBorderIsLate)
{
  EXPECT_EQ(result_of(system_of({}, "20ms"), schedule_of()).tasks[0].late_runs, 3U);
  EXPECT_EQ(result_of(system_of({}, "19.999ms"), schedule_of()).tasks[0].late_runs, 0U);
}

TEST(SimulateLet, OthersGetTheMessageAsSoonAsTheThreadIsFree)
{
  const std::string system = system_of(R"yaml(
  - {id: "/block:timer(1s)", time: 7ms, period: 1s, offset: 15ms}
)yaml");
  Jobs jobs = jobs_of(system, schedule_of(), 30 * kMs);
  // The blocker has begun by the border. Then publishing is the most urgent work of the thread.
  EXPECT_EQ(jobs, (Jobs{"ctl 0-3", "block 15-22", "ctl 22-25", "read 22-23", "read 40-41"}));
}

TEST(SimulateLet, PublishingTakesTimeAtTheBorder)
{
  std::string system = system_of();
  system.replace(system.find("overheads: {}"), 13, "overheads: {dispatch: 1ms, middleware: 2ms}");
  // The controller: dispatch 1, work 3, holding 2. At the border: dispatch 1, publishing 2. The
  // reader: 1, 2 and 1.
  EXPECT_EQ(
    jobs_of(system, schedule_of(), 30 * kMs),
    (Jobs{"ctl 0-6", "ctl 23-29", "read 23-27", "read 43-47"}));
}

}  // namespace
}  // namespace takt_plan
