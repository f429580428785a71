// Small systems with exact numbers, worked out by hand. Times are in milliseconds.
#include "takt_plan/simulate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/from_text.hpp"
#include "takt_plan/load_plan.hpp"

namespace takt_plan
{
namespace
{

using test::from_text;

constexpr Ns kMs = 1'000'000;
constexpr Ns kUs = 1'000;

using Jobs = std::vector<std::string>;

/// A system of one host. `callbacks`: the list, and the lines after it. `head`: lines before the
/// list.
std::string system_of(const std::string & callbacks, const std::string & head = {})
{
  return "version: 1\nhosts:\n  car: {cores: 4}\n" + head + "callbacks:\n" + callbacks;
}

/// A schedule of one executor with one fifo thread on core 0. `keys` may change it.
std::string schedule_of(const std::string & order, const std::string & keys = {})
{
  return "version: 1\nexecutors:\n  main:\n    order: " + order +
         "\n    threads: {t: {policy: fifo, priority: 50, cores: [0]}}\n    default: t\n" + keys;
}

SimulationOptions until(Ns duration)
{
  SimulationOptions options;
  options.duration = duration;
  return options;
}

Jobs jobs_of(const std::string & system, const std::string & schedule, Ns duration, Ns unit = kMs)
{
  return test::jobs(from_text(system, schedule), until(duration), unit);
}

SimulationResult result_of(const SimulationModel & model, const SimulationOptions & options)
{
  const auto result = simulate(model, options);
  EXPECT_TRUE(result.ok()) << result.faults().front();
  return *result;
}

// Four callbacks are ready at once, and one later: in which order do they run?
const std::string kFive = system_of(R"yaml(
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, offset: 0ms}
  - {id: "/b:timer(100ms)", time: 10ms, period: 100ms, offset: 1ms, publishes: /b}
  - {id: "/c:timer(100ms)", time: 10ms, period: 100ms, offset: 2ms}
  - {id: "/d:sub(/b)", time: 10ms, triggers: /b}
  - {id: "/e:timer(100ms)", time: 10ms, period: 100ms, offset: 12ms}
)yaml");

TEST(Simulate, PriorityRunsTheHighestFirst)
{
  EXPECT_EQ(
    jobs_of(
      kFive, schedule_of("priority", R"yaml(
    callbacks:
      - {match: "/d:**", priority: 9}
      - {match: "/e:**", priority: 5}
      - {match: "/b:**", priority: 3}
)yaml"),
      50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "d 20-30", "e 30-40", "c 40-50"}));
}

TEST(Simulate, FifoRunsInTheOrderOfReleases)
{
  EXPECT_EQ(
    jobs_of(kFive, schedule_of("fifo"), 50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "c 20-30", "e 30-40", "d 40-50"}));
}

TEST(Simulate, EdfRunsTheEarliestDeadlineFirst)
{
  EXPECT_EQ(
    jobs_of(
      kFive, schedule_of("edf", R"yaml(
    callbacks:
      - {match: "/b:**", deadline: 60ms}
      - {match: "/c:**", deadline: 58ms}
      - {match: "/d:**", deadline: 15ms}
      - {match: "/e:**", deadline: 24ms}
)yaml"),
      50 * kMs),
    (Jobs{"a 0-10", "c 10-20", "e 20-30", "b 30-40", "d 40-50"}));
}

// Deadlines of a chain count from its root's release, and the root's own deadline from its own
// release.
TEST(Simulate, EdfInheritsDeadlinesAlongAChain)
{
  const std::string chain = R"yaml(
chains:
  one: {path: ["/b:timer(100ms)", "/d:sub(/b)"], deadline: 41ms}
)yaml";
  EXPECT_EQ(
    jobs_of(
      kFive, schedule_of("edf", R"yaml(
    callbacks:
      - {match: "/c:**", deadline: 60ms}
      - {match: "/e:**", deadline: 31ms}
)yaml" + chain),
      50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "d 20-30", "e 30-40", "c 40-50"}));
}

TEST(Simulate, WindowRunsWhatWasReadyAtThePollingPointTimersFirst)
{
  // At 10, b and c are ready. e is due at 12, and d comes at 20. The window of 30 has both.
  EXPECT_EQ(
    jobs_of(kFive, schedule_of("window"), 50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "c 20-30", "e 30-40", "d 40-50"}));
  EXPECT_EQ(
    jobs_of(kFive, schedule_of("stock"), 50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "c 20-30", "e 30-40", "d 40-50"}));
  // A subscription of the window precedes a timer that is due later, unless timers need not wait.
  const std::string late = system_of(R"yaml(
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 10ms, triggers: /a, publishes: /b}
  - {id: "/c:sub(/a)", time: 10ms, triggers: /a}
  - {id: "/d:timer(100ms)", time: 10ms, period: 100ms, offset: 12ms}
)yaml");
  EXPECT_EQ(
    jobs_of(late, schedule_of("window"), 50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "c 20-30", "d 30-40"}));
  EXPECT_EQ(
    jobs_of(late, schedule_of("window", "    window_timers: immediate\n"), 50 * kMs),
    (Jobs{"a 0-10", "b 10-20", "d 20-30", "c 30-40"}));
}

TEST(Simulate, AThreadOfHigherOsPriorityPreempts)
{
  const std::string system = system_of(R"yaml(
  - {id: "/low:timer(50ms)", time: 20ms, period: 50ms, offset: 0ms}
  - {id: "/high:timer(10ms)", time: 2ms, period: 10ms, offset: 5ms}
)yaml");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads:
      high: {policy: fifo, priority: 80, cores: [0]}
      low: {policy: fifo, priority: 20, cores: [0]}
    default: low
    callbacks: [{match: "/high:**", threads: high}]
)yaml";
  EXPECT_EQ(
    jobs_of(system, schedule, 50 * kMs),
    (Jobs{"low 0-24", "high 5-7", "high 15-17", "high 25-27", "high 35-37", "high 45-47"}));
}

TEST(Simulate, WhoIsWokenByAPublicationPreemptsBeforeThePublishersThreadGoesOn)
{
  // When a ends, high runs before the thread of a looks for work. The callback that high starts
  // there is more urgent.
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(50ms)", time: 5ms, period: 50ms, offset: 0ms, publishes: /a}
  - {id: "/high:sub(/a)", time: 1ms, triggers: /a, publishes: /high}
  - {id: "/b:sub(/high)", time: 1ms, triggers: /high}
  - {id: "/low:timer(50ms)", time: 9ms, period: 50ms, offset: 1ms}
)yaml");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    order: priority
    threads:
      high: {policy: fifo, priority: 80, cores: [0]}
      rest: {policy: fifo, priority: 20, cores: [0]}
    default: rest
    callbacks: [{match: "/high:**", threads: high}, {match: "/b:**", priority: 9}]
)yaml";
  EXPECT_EQ(jobs_of(system, schedule, 50 * kMs), (Jobs{"a 0-5", "high 5-6", "b 6-7", "low 7-16"}));
}

TEST(Simulate, OverheadsOfTheSystemFileAreCharged)
{
  // Wake-up 3 us; a: 1 + 2000 + 15; b: 1 + 15 + 1000 on the same thread.
  const std::string system = system_of(
    R"yaml(
  - {id: "/a:timer(100ms)", time: 2ms, period: 100ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 1ms, triggers: /a}
)yaml",
    "overheads: {dispatch: 1us, middleware: 15us, context_switch: 3us}\n");
  EXPECT_EQ(jobs_of(system, schedule_of("fifo"), 50 * kMs, kUs), (Jobs{"a 3-2019", "b 2019-3035"}));
}

TEST(Simulate, APreemptionCostsASwitchToAndASwitchBack)
{
  const std::string system = system_of(
    R"yaml(
  - {id: "/low:timer(100ms)", time: 1ms, period: 100ms, offset: 0ms}
  - {id: "/high:timer(100ms)", time: 100us, period: 100ms, offset: 500us}
)yaml",
    "overheads: {context_switch: 3us}\n");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads:
      high: {policy: fifo, priority: 80, cores: [0]}
      low: {policy: fifo, priority: 20, cores: [0]}
    default: low
    callbacks: [{match: "/high:**", threads: high}]
)yaml";
  EXPECT_EQ(jobs_of(system, schedule, 50 * kMs, kUs), (Jobs{"low 3-1109", "high 503-603"}));
}

// A thread wakes only for timers that it may run, however late and however often other timers are
// released.
TEST(Simulate, ATimerWakesNoThreadThatCannotRunIt)
{
  const std::string system = system_of(
    R"yaml(
  - {id: "/slow:timer(100ms)", time: 10us, period: 100ms, offset: 0ms}
  - {id: "/quick:timer(10ms)", time: 10us, period: 10ms, jitter: 2ms, offset: 0ms}
)yaml",
    "overheads: {context_switch: 3us}\n");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads:
      a: {policy: fifo, priority: 80, cores: [0]}
      b: {policy: fifo, priority: 80, cores: [1]}
    default: a
    callbacks: [{match: "/quick:**", threads: b}]
)yaml";
  SimulationOptions options = until(1000 * kMs);
  options.phases = Phases::random;
  const SimulationResult result = result_of(from_text(system, schedule), options);
  // It runs once more at the end: its timer has been stopped.
  EXPECT_EQ(result.tasks[0].responses.count, 10U);
  EXPECT_LE(result.busy[0], 10 * 13 * kUs + 3 * kUs);
  EXPECT_EQ(result.tasks[1].responses.count, 100U);
  EXPECT_LE(result.busy[1], 100 * 13 * kUs + 3 * kUs);
}

// A thread may sleep late for one timer. Another timer of the thread is not late for that reason.
TEST(Simulate, ATimerIsLateByItsOwnJitterOnly)
{
  const std::string system = system_of(R"yaml(
  - {id: "/late:timer(100ms)", time: 1ms, period: 100ms, jitter: 90ms}
  - {id: "/exact:timer(60ms)", time: 1ms, period: 60ms}
  - {id: "/own:timer(40ms)", time: 1ms, period: 40ms}
)yaml");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads: {p: {count: 2, policy: fifo, priority: 50, cores: [0, 1], spread: true}}
    default: p
    callbacks: [{match: "/own:**", threads: p.1}]
)yaml";
  SimulationOptions options = until(10'000 * kMs);
  options.phases = Phases::random;
  options.runs = 20;
  const SimulationResult result = result_of(from_text(system, schedule), options);
  // The other callbacks may keep both threads busy for a millisecond.
  EXPECT_LE(result.tasks[1].responses.worst.time(), 2 * kMs);
  EXPECT_GT(result.tasks[0].responses.worst.time(), 10 * kMs) << "or nothing is late";
}

TEST(Simulate, AMessageToAnotherProcessTakesItsTime)
{
  const std::string system = system_of(
    R"yaml(
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", executor: far, time: 1ms, triggers: /a}
chains:
  both: {path: ["/a:timer(10ms)", "/b:sub(/a)"], deadline: 2200us}
)yaml",
    "communication: {processes: 250us}\n");
  const std::string schedule = R"yaml(version: 1
executors:
  main: {threads: {t: {policy: fifo, priority: 50, cores: [0]}}, default: t}
  far: {threads: {t: {policy: fifo, priority: 50, cores: [1]}}, default: t}
)yaml";
  EXPECT_EQ(jobs_of(system, schedule, 10 * kMs, 10 * kUs), (Jobs{"a 0-100", "b 125-225"}));
  const SimulationModel model = from_text(system, schedule);
  const SimulationResult result = result_of(model, until(100 * kMs));
  EXPECT_EQ(result.chains[0].released, 10U);
  EXPECT_EQ(result.chains[0].responses.count, 10U);
  EXPECT_EQ(result.chains[0].responses.missed, 10U);
  EXPECT_EQ(result.chains[0].responses.worst.time(), 2250 * kUs);
  EXPECT_EQ(result.tasks[1].responses.worst.time(), 1 * kMs) << "released by its arrival";
  EXPECT_EQ(result.tasks[1].from_source, 2250 * kUs);
}

TEST(Simulate, AFullHistoryOverwritesTheOldestAndCountsIt)
{
  // b takes 25 ms. a publishes every 10 ms, at 1, 11, ... 91. The depth is 2.
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 25ms, triggers: /a, depth: 2}
chains: {both: {path: ["/a:timer(10ms)", "/b:sub(/a)"]}}
)yaml");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads: {a: {policy: fifo, priority: 50, cores: [0]}, b: {policy: fifo, priority: 40, cores: [1]}}
    default: a
    callbacks: [{match: "/b:**", threads: b}]
)yaml";
  const SimulationModel model = from_text(system, schedule);
  const SimulationResult result = result_of(model, until(100 * kMs));
  // Runs at 1, 26, 51, 76, 101, 126 take the messages of 1, 11, 31, 61, 81, 91.
  const TaskResult & b = result.tasks[1];
  EXPECT_EQ(b.received, 10U);
  EXPECT_EQ(b.taken, 6U);
  EXPECT_EQ(b.overwritten, 4U);
  EXPECT_EQ(b.waiting, 0U);
  EXPECT_EQ(b.responses.count, 6U);
  EXPECT_EQ(b.responses.worst.release, 91 * kMs);
  EXPECT_EQ(b.responses.worst.end, 151 * kMs);
  EXPECT_EQ(result.chains[0].released, 10U);
  EXPECT_EQ(result.chains[0].responses.count, 6U);
  EXPECT_EQ(result.chains[0].responses.worst.time(), 61 * kMs);
}

TEST(Simulate, AnOverloadedTimerSkipsPeriods)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: 25ms, period: 10ms, offset: 0ms}
)yaml");
  const SimulationResult skipping =
    result_of(from_text(system, schedule_of("fifo")), until(100 * kMs));
  // The runs are at 0; at 25 for the release of 10, which drops 20; at 50 for 30, which drops 40
  // and 50; at 75 for 60, which drops 70; at 100 for 80, which drops 90 and 100.
  EXPECT_EQ(skipping.jobs, 5U);
  EXPECT_EQ(skipping.tasks[0].skipped, 6U);
  EXPECT_EQ(skipping.tasks[0].responses.worst.time(), 45 * kMs);
  const std::string rule = R"yaml(
    callbacks: [{match: "/a:**", missed_periods: catch_up}]
)yaml";
  const SimulationResult all =
    result_of(from_text(system, schedule_of("fifo", rule)), until(100 * kMs));
  EXPECT_EQ(all.jobs, 10U);
  EXPECT_EQ(all.tasks[0].skipped, 0U);
  EXPECT_EQ(all.tasks[0].responses.worst.time(), 160 * kMs) << "that of 90, at 250";
}

TEST(Simulate, AJoinWaitsForOneMessageOfEachTopic)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, offset: 0ms, publishes: /a}
  - {id: "/b:timer(20ms)", time: 1ms, period: 20ms, offset: 5ms, publishes: /b}
  - {id: "/c:sub(/a)", time: 1ms, triggers: [/a, /b], trigger: all, depth: 1}
chains:
  a: {path: ["/a:timer(10ms)", "/c:sub(/a)"]}
  b: {path: ["/b:timer(20ms)", "/c:sub(/a)"]}
)yaml");
  const SimulationModel model = from_text(system, schedule_of("fifo"));
  EXPECT_EQ(
    test::jobs(model, until(40 * kMs), kMs),
    (Jobs{"a 0-1", "b 5-6", "c 6-7", "a 10-11", "a 20-21", "b 25-26", "c 26-27", "a 30-31"}));
  const SimulationResult result = result_of(model, until(40 * kMs));
  EXPECT_EQ(result.chains[0].responses.count, 2U);
  EXPECT_EQ(result.chains[0].responses.worst.time(), 7 * kMs) << "the message of 20, at 27";
  EXPECT_EQ(result.chains[1].responses.worst.time(), 2 * kMs);
  const TaskResult & c = result.tasks[2];
  EXPECT_EQ(c.received, 6U);
  EXPECT_EQ(c.taken, 4U);
  EXPECT_EQ(c.overwritten, 1U);
  EXPECT_EQ(c.waiting, 1U);
}

TEST(Simulate, AChainGoesOnWithWhoeverReadsItsLatestMessageOnce)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(20ms)", time: 1ms, period: 20ms, offset: 0ms, publishes: /a}
  - {id: "/b:timer(5ms)", time: 1ms, period: 5ms, offset: 3ms, reads: /a}
chains: {data: {path: ["/a:timer(20ms)", "/b:timer(5ms)"]}}
)yaml");
  const SimulationResult result =
    result_of(from_text(system, schedule_of("fifo")), until(100 * kMs));
  EXPECT_EQ(result.chains[0].released, 5U);
  EXPECT_EQ(result.chains[0].responses.count, 5U);
  EXPECT_EQ(result.chains[0].responses.worst.time(), 4 * kMs);
}

// The message that the callback read last came from the publisher's previous run, which had already
// started the callback.
TEST(Simulate, AChainGoesOnByTheTriggerWhereACallbackAlsoReadsFromTheSamePublisher)
{
  const std::string system = system_of(
    R"yaml(
  - {id: "/a:timer(20ms)", executor: far, time: 1ms, period: 20ms, offset: 0ms, publishes: [/a, /b]}
  - {id: "/c:sub(/b)", time: 1ms, triggers: /b, reads: /a}
chains: {data: {path: ["/a:timer(20ms)", "/c:sub(/b)"]}}
)yaml",
    "communication: {processes: 2ms}\n");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads: {t: {policy: fifo, priority: 50, cores: [0]}}
    default: t
  far:
    threads: {t: {policy: fifo, priority: 50, cores: [1]}}
    default: t
)yaml";
  const SimulationResult result = result_of(from_text(system, schedule), until(100 * kMs));
  EXPECT_EQ(result.chains[0].released, 5U);
  EXPECT_EQ(result.chains[0].responses.count, 5U);
  EXPECT_EQ(result.chains[0].responses.worst.time(), 4 * kMs);
}

TEST(Simulate, AFollowingPoolPreemptsByTheCallbacksPriority)
{
  const std::string system = system_of(R"yaml(
  - {id: "/low:timer(50ms)", time: 20ms, period: 50ms, offset: 0ms}
  - {id: "/high:timer(50ms)", time: 2ms, period: 50ms, offset: 5ms}
)yaml");
  const auto schedule = [](const std::string & follow) {
    return R"yaml(version: 1
executors:
  main:
    order: priority
    threads: {t: {count: 2, policy: fifo, priority: 50, cores: [0], follow: )yaml" +
           follow + R"yaml(}}
    default: t
    callbacks: [{match: "/high:**", priority: 9}, {match: "/low:**", priority: 3}]
)yaml";
  };
  EXPECT_EQ(jobs_of(system, schedule("true"), 50 * kMs), (Jobs{"low 0-22", "high 5-7"}));
  EXPECT_EQ(jobs_of(system, schedule("false"), 50 * kMs), (Jobs{"low 0-20", "high 20-22"}));
}

// a publishes from 10 to 14. A more urgent callback that is released at 12 waits until 14.
const std::string kPublisher = system_of(
  R"yaml(
  - {id: "/a:timer(50ms)", time: 10ms, period: 50ms, offset: 0ms, publishes: /a}
  - {id: "/high:timer(50ms)", time: 2ms, period: 50ms, offset: 12ms}
)yaml",
  "overheads: {middleware: 4ms}\n");

TEST(Simulate, PublishingGoesOnAtTheMiddlewareCeiling)
{
  const auto schedule = [](const std::string & ceiling) {
    return R"yaml(version: 1
executors:
  main:
    middleware_ceiling: )yaml" +
           ceiling + R"yaml(
    threads:
      high: {policy: fifo, priority: 80, cores: [0]}
      low: {policy: fifo, priority: 20, cores: [0]}
    default: low
    callbacks: [{match: "/high:**", threads: high}]
)yaml";
  };
  EXPECT_EQ(jobs_of(kPublisher, schedule("auto"), 50 * kMs), (Jobs{"a 0-14", "high 14-16"}));
  EXPECT_EQ(jobs_of(kPublisher, schedule("off"), 50 * kMs), (Jobs{"a 0-16", "high 12-14"}));
  EXPECT_EQ(jobs_of(kPublisher, schedule("80"), 50 * kMs), (Jobs{"a 0-14", "high 14-16"}));
}

// As in an executor whose threads have different OS priorities.
TEST(Simulate, AFollowingPoolPublishesAtTheMiddlewareCeiling)
{
  EXPECT_EQ(
    jobs_of(
      kPublisher, R"yaml(version: 1
executors:
  main:
    order: priority
    threads: {t: {count: 2, policy: fifo, priority: 50, cores: [0], follow: true}}
    default: t
    callbacks: [{match: "/high:**", priority: 9}, {match: "/a:**", priority: 3}]
)yaml",
      50 * kMs),
    (Jobs{"a 0-14", "high 14-16"}));
}

TEST(Simulate, CallbacksThatTakeNoTimeRunAndEndAtOnce)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: 0ms, period: 10ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 0ms, triggers: /a, publishes: /b}
  - {id: "/c:sub(/b)", time: 1ms, triggers: /b}
)yaml");
  EXPECT_EQ(
    jobs_of(system, schedule_of("fifo"), 20 * kMs),
    (Jobs{"a 0-0", "b 0-0", "c 0-1", "a 10-10", "b 10-10", "c 10-11"}));
}

TEST(Simulate, OtherThreadsTakeTheirTimeByTheirPriority)
{
  const std::string system = R"yaml(version: 1
hosts:
  car:
    cores: 4
    other_threads:
      dds: {priority: 85, cores: [0], time: 1ms, period: 5ms}
      idle: {priority: 0, cores: [0], time: 1ms, period: 10ms}
callbacks:
  - {id: "/a:timer(20ms)", time: 10ms, period: 20ms, offset: 0ms}
)yaml";
  // The first releases come one period after the start: dds at 5, 10, ...
  EXPECT_EQ(jobs_of(system, schedule_of("fifo"), 20 * kMs), (Jobs{"a 0-12"}));
}

TEST(Simulate, AReservationHoldsBackWhatIsBeyondItsBudget)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(100ms)", time: 5ms, period: 100ms, offset: 0ms}
)yaml");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads: {t: {policy: deadline, runtime: 2ms, period: 10ms}}
    default: t
)yaml";
  EXPECT_EQ(jobs_of(system, schedule, 50 * kMs), (Jobs{"a 0-21"}));
}

TEST(Simulate, AReservationThatItsOwnSwitchUsesUpEndsNothingButTheSimulationEnds)
{
  const std::string system = system_of(
    R"yaml(
  - {id: "/a:timer(100ms)", time: 5ms, period: 100ms, offset: 0ms}
)yaml",
    "overheads: {context_switch: 2ms}\n");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads: {t: {policy: deadline, runtime: 2ms, period: 10ms}}
    default: t
)yaml";
  const SimulationResult result = result_of(from_text(system, schedule), until(1000 * kMs));
  EXPECT_EQ(result.jobs, 0U);
}

TEST(Simulate, FairThreadsShareACore)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(100ms)", time: 30ms, period: 100ms, offset: 0ms}
  - {id: "/b:timer(100ms)", time: 30ms, period: 100ms, offset: 0ms}
)yaml");
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads: {t: {count: 2, cores: [0]}}
    default: t
)yaml";
  // The threads alternate in slices of 3 ms.
  EXPECT_EQ(jobs_of(system, schedule, 50 * kMs), (Jobs{"a 0-57", "b 3-60"}));
}

TEST(Simulate, ExecutionTimesAreWorstBestOrDrawn)
{
  const std::string system = system_of(R"yaml(
  - id: "/a:timer(10ms)"
    time: {worst: 4ms, best: 1ms, histogram: {1ms: 900, 2ms: 90, 4ms: 10}}
    period: 10ms
)yaml");
  const SimulationModel model = from_text(system, schedule_of("fifo"));
  SimulationOptions options = until(100'000 * kMs);
  const auto mean = [&](Execution execution) {
    options.execution = execution;
    const SimulationResult result = result_of(model, options);
    EXPECT_EQ(result.jobs, 9'999U);
    return result.tasks[0].responses.mean() / kMs;
  };
  EXPECT_EQ(mean(Execution::worst), 4);
  EXPECT_EQ(mean(Execution::best), 1);
  EXPECT_NEAR(mean(Execution::uniform), 2.5, 0.05);
  EXPECT_NEAR(mean(Execution::histogram), 0.9 + 0.18 + 0.04, 0.02);
}

TEST(Simulate, ExecutionTimesOfSingleRunsMayBeGiven)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: 4ms, period: 10ms, offset: 0ms}
  - {id: "/b:timer(20ms)", time: 3ms, period: 20ms, offset: 0ms}
)yaml");
  SimulationOptions options = until(100 * kMs);
  options.execution_time = [](Index task, std::uint64_t run) {
    return task == 0 ? static_cast<Ns>(run + 1) * kMs : 0;
  };
  const SimulationResult result = result_of(from_text(system, schedule_of("fifo")), options);
  ASSERT_EQ(result.tasks[0].responses.count, 10U);
  EXPECT_EQ(result.tasks[0].responses.mean() / kMs, (1 + 2 + 3 + 7 * 4) / 10.0)
    << "no run takes more than the worst";
  EXPECT_EQ(result.tasks[1].responses.worst.time(), 4 * kMs) << "behind a long run of the other";
}

TEST(Simulate, WhatIsUnderWayAtTheEndStillEnds)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: 9ms, period: 10ms, offset: 0ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 9ms, triggers: /a, depth: 100}
)yaml");
  const SimulationResult result = result_of(
    from_text(system, schedule_of("priority", R"yaml(
    callbacks: [{match: "/a:**", priority: 9}]
)yaml")),
    until(100 * kMs));
  EXPECT_EQ(result.tasks[0].responses.count, 10U);
  EXPECT_EQ(result.tasks[1].responses.count, 10U);
  EXPECT_EQ(result.tasks[1].waiting, 0U);
}

TEST(Simulate, TheSameSeedGivesTheSameAndAnotherSeedSomethingElse)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: {worst: 4ms, best: 1ms}, period: 10ms, jitter: 1ms, publishes: /a}
  - {id: "/b:sub(/a)", time: {worst: 4ms, best: 1ms}, triggers: /a}
  - {id: "/c:sub(/outside)", time: {worst: 2ms, best: 1ms}, period: 7ms, jitter: 2ms}
)yaml");
  const SimulationModel model = from_text(system, schedule_of("fifo"));
  SimulationOptions options = until(1000 * kMs);
  options.phases = Phases::random;
  options.execution = Execution::uniform;
  const Jobs first = test::jobs(model, options, 1);
  EXPECT_EQ(test::jobs(model, options, 1), first);
  options.seed = 2;
  EXPECT_NE(test::jobs(model, options, 1), first);
}

TEST(Simulate, AWorstActivationCanBeHadAgain)
{
  const std::string system = system_of(R"yaml(
  - {id: "/a:timer(10ms)", time: {worst: 4ms, best: 1ms}, period: 10ms, publishes: /a}
  - {id: "/b:sub(/a)", time: {worst: 4ms, best: 1ms}, triggers: /a}
  - {id: "/c:timer(7ms)", time: {worst: 2ms, best: 1ms}, period: 7ms}
chains: {both: {path: ["/a:timer(10ms)", "/b:sub(/a)"]}}
)yaml");
  const SimulationModel model = from_text(system, schedule_of("fifo"));
  SimulationOptions options = until(1000 * kMs);
  options.runs = 20;
  options.phases = Phases::random;
  options.execution = Execution::uniform;
  const Response worst = result_of(model, options).chains[0].responses.worst;
  SimulationOptions again = options;
  again.seed = options.seed + worst.run;
  again.runs = 1;
  const Response same = result_of(model, again).chains[0].responses.worst;
  EXPECT_EQ(same.release, worst.release);
  EXPECT_EQ(same.end, worst.end);
}

TEST(Simulate, AdversarialPhasesFindTheCriticalInstant)
{
  // high waits for low, which cannot be preempted within the thread. middle delays low.
  const std::string system = system_of(R"yaml(
  - {id: "/low:timer(50ms)", time: 9ms, period: 50ms, offset: 0ms}
  - {id: "/middle:timer(50ms)", time: 3ms, period: 50ms, offset: 20ms}
  - {id: "/high:timer(50ms)", time: 2ms, period: 50ms, offset: 30ms}
chains: {it: {path: ["/middle:timer(50ms)"]}}
)yaml");
  const SimulationModel model = from_text(system, schedule_of("priority", R"yaml(
    callbacks:
      - {match: "/high:**", priority: 9}
      - {match: "/middle:**", priority: 5}
)yaml"));
  SimulationOptions options = until(200 * kMs);
  EXPECT_EQ(result_of(model, options).chains[0].responses.worst.time(), 3 * kMs);
  options.phases = Phases::adversarial;
  options.runs = adversarial_runs(model);
  EXPECT_EQ(options.runs, 4U);
  EXPECT_EQ(result_of(model, options).chains[0].responses.worst.time(), 14 * kMs - 1);
}

TEST(Simulate, WhatAnExecutorWouldRefuseIsRefused)
{
  const std::string system = system_of(
    R"yaml(
  - {id: "/a:timer(10ms)", time: 1ms, period: 10ms, group: "/a:group(g)"}
  - {id: "/b:timer(10ms)", time: 1ms, period: 10ms, group: "/a:group(g)"}
)yaml",
    "groups: {\"/a:group(g)\": mutually_exclusive}\n");
  const auto plan = parse_plan(system, R"yaml(version: 1
executors:
  main:
    threads:
      high: {policy: fifo, priority: 80, cores: [0]}
      low: {policy: fifo, priority: 20, cores: [0]}
    default: low
    callbacks: [{match: "/a:**", threads: high}]
)yaml");
  const auto faults = plan.faults();
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(to_string(faults[0]).find("schedule.yaml:"), std::string::npos) << faults[0];
  EXPECT_NE(to_string(faults[0]).find("group"), std::string::npos) << faults[0];
  const auto options_of = [](Ns duration, std::uint64_t runs) {
    SimulationOptions options;
    options.duration = duration;
    options.runs = runs;
    return options;
  };
  const SimulationModel model = from_text(kFive, schedule_of("fifo"));
  EXPECT_FALSE(simulate(model, options_of(0, 1)).ok());
  EXPECT_FALSE(simulate(model, options_of(1, 0)).ok());
  SimulationModel deep = model;
  deep.tasks[3].depth = 4'000'000'000;
  const auto refused = simulate(deep, options_of(1, 1)).faults();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_NE(to_string(refused[0]).find("lower the depths"), std::string::npos) << refused[0];
}

}  // namespace
}  // namespace takt_plan
