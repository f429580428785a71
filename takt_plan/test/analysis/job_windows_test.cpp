// Bounds of chains whose timers have known phases: small systems whose worst case a reader can add
// up.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/example.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/load_plan.hpp"

namespace takt_plan
{
namespace
{

constexpr Ns kMs = 1'000'000;

/// Two inputs at the same time, a set of both, and two callbacks behind the set. `more`: further
/// callbacks.
std::string after_a_set(const std::string & more)
{
  return R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/f:timer(100ms)", time: 0s, period: 100ms, publishes: /f}
  - {id: "/r:timer(100ms)", time: 0s, period: 100ms, publishes: /r}
  - {id: ["/s:sub(/f)", "/s:sub(/r)"], time: 10ms, triggers: [/f, /r], trigger: newest, publishes: /s}
  - {id: "/a:sub(/s)", time: 10ms, triggers: /s, publishes: /a}
  - {id: "/b:sub(/a)", time: 10ms, triggers: /a}
)yaml" + more +
         R"yaml(chains:
  c: {path: ["/f:timer(100ms)", "/s:sub(/f)", "/a:sub(/s)", "/b:sub(/a)"], deadline: 100ms}
)yaml";
}

/// All timers have one epoch and one thread. Priorities follow the order of `ids`; the first is the
/// most urgent.
std::string one_thread(const std::vector<std::string> & ids)
{
  std::string text =
    "version: 1\nexecutors:\n  main:\n    order: priority\n"
    "    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}\n    default: hot\n    "
    "callbacks:\n";
  int priority = static_cast<int>(ids.size());
  for (const std::string & id : ids) {
    text += "      - {match: \"" + id + "\", priority: " + std::to_string(priority--);
    text += id.find(":timer(") == std::string::npos ? "}\n" : ", offset: 0ms}\n";
  }
  return text;
}

Ns bound_of_chain(const std::string & system, const std::string & schedule)
{
  const auto plan = parse_plan(system, schedule);
  for (const auto & fault : plan.faults()) {
    ADD_FAILURE() << fault;
  }
  if (!plan) {
    return 0;
  }
  BoundsOptions options;
  options.jobs_only = true;  // without this, another analysis may give the same bound
  const auto found = bounds(plan->model, options);
  if (!found || !found->chains.front()) {
    ADD_FAILURE() << "no bound";
    return 0;
  }
  return found->chains.front()->bound;
}

TEST(JobWindows, AChainThatGoesThroughASetAloneTakesItsWork)
{
  const std::vector<std::string> order{
    "/f:timer(100ms)", "/r:timer(100ms)", "/s:sub(**)", "/a:sub(/s)", "/b:sub(/a)"};
  EXPECT_EQ(bound_of_chain(after_a_set(""), one_thread(order)), 30 * kMs);
}

TEST(JobWindows, WhatAJobStartsDoesNotDelayIt)
{
  // The thread prefers the callbacks behind the set. When the set's work begins, these two cannot
  // be ready.
  const std::vector<std::string> order{
    "/b:sub(/a)", "/a:sub(/s)", "/s:sub(**)", "/f:timer(100ms)", "/r:timer(100ms)"};
  EXPECT_EQ(bound_of_chain(after_a_set(""), one_thread(order)), 30 * kMs);
}

TEST(JobWindows, OnRoundRobinWhatAJobStartsMayPrecedeItsEnd)
{
  test::Example example(1);
  const Index first = example.thread(0, 50);
  const Index second = example.thread(0, 50);
  const Index starts = example.timer(first, 50, 1000 * kMs, 150 * kMs);
  example.sub(second, 50, {starts}, 40 * kMs);
  example.chain({starts});
  example.model.tasks[starts].release->offset = 0;
  BoundsOptions options;
  options.jobs_only = true;
  EXPECT_EQ(bounds(example.model, options)->chains[0]->bound, 150 * kMs);
  example.model.threads[first].rr = example.model.threads[second].rr = true;
  // It publishes at once. After its quantum the other thread has the core.
  EXPECT_EQ(bounds(example.model, options)->chains[0]->bound, 190 * kMs);
}

TEST(JobWindows, AMoreUrgentTimerCountsOnce)
{
  const std::string more = "  - {id: \"/p:timer(100ms)\", time: 10ms, period: 100ms}\n";
  const std::vector<std::string> order{"/p:timer(100ms)", "/f:timer(100ms)", "/r:timer(100ms)",
                                       "/s:sub(**)",      "/a:sub(/s)",      "/b:sub(/a)"};
  EXPECT_EQ(bound_of_chain(after_a_set(more), one_thread(order)), 40 * kMs);
}

TEST(JobWindows, TermsNameTheJobsInTheWayWithTheirReleases)
{
  const std::string more =
    "  - {id: \"/p:timer(50ms)\", time: 10ms, period: 50ms}\n"
    "  - {id: \"/q:sub(/b)\", time: 3ms, triggers: /b}\n"
    "  - {id: \"/b:timer(100ms)\", time: 2ms, period: 100ms, publishes: /b}\n";
  const std::vector<std::string> order{"/b:timer(100ms)", "/p:timer(50ms)",  "/q:sub(/b)",
                                       "/f:timer(100ms)", "/r:timer(100ms)", "/s:sub(**)",
                                       "/a:sub(/s)",      "/b:sub(/a)"};
  const auto plan = parse_plan(after_a_set(more), one_thread(order));
  ASSERT_TRUE(plan) << plan.faults().front();
  BoundsOptions options;
  options.explain = true;
  options.jobs_only = true;
  const auto found = bounds(plan->model, options);
  ASSERT_TRUE(found && found->chains.front());
  const SegmentBound & last = found->chains.front()->segments.back();
  ASSERT_TRUE(last.activation);
  EXPECT_EQ(last.activation->release, 0);
  EXPECT_EQ(last.activation->hyperperiod, 100 * kMs);
  std::map<std::string, BoundTerm> by_task;
  for (const BoundTerm & term : last.terms) {
    if (term.kind == TermKind::interference) {
      by_task[plan->model.tasks[term.task].id] = term;
    }
  }
  // The urgent callbacks take 2, 10 and 3 of the 45 ms; the second run of /p comes too late.
  EXPECT_EQ(by_task["/p:timer(50ms)"].time, 10 * kMs);
  EXPECT_EQ(by_task["/p:timer(50ms)"].jobs, (std::vector<CountedJob>{{0, 0}}));
  EXPECT_EQ(by_task["/q:sub(/b)"].time, 3 * kMs);
  EXPECT_EQ(by_task["/q:sub(/b)"].jobs, (std::vector<CountedJob>{{0, 12 * kMs}}));
}

// A message that is under way does not restart the core's work: each job counts once, though the
// second callback of each chain may be released at any time in a long window.
TEST(JobWindows, AMessageBetweenProcessesOfOneCoreDoesNotEndABusyInterval)
{
  const std::string system = R"yaml(version: 1
overheads: {}
communication: {processes: 1ms}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", executor: left, time: 10ms, period: 100ms, publishes: /a}
  - {id: "/b:timer(100ms)", executor: left, time: 10ms, period: 100ms, publishes: /b}
  - {id: "/a:sub(/a)", executor: right, time: 10ms, triggers: /a}
  - {id: "/b:sub(/b)", executor: right, time: 10ms, triggers: /b}
chains:
  a: {path: ["/a:timer(100ms)", "/a:sub(/a)"], deadline: 100ms}
)yaml";
  const std::string schedule = R"yaml(version: 1
epoch: host
executors:
  left:
    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}
    default: hot
    callbacks: [{match: "**:timer(**)", offset: 0ms}]
  right:
    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}
    default: hot
)yaml";
  EXPECT_EQ(bound_of_chain(system, schedule), 41 * kMs);  // 51 ms if the message ended the interval
}

TEST(JobWindows, AChainMayGoOnWithACallbackOfAnotherCoreThatOnlyReads)
{
  const auto plan = parse_plan(
    R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 2}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, publishes: /a}
  - {id: "/b:timer(50ms)", time: 5ms, period: 50ms, reads: /a}
chains:
  c: {path: ["/a:timer(100ms)", "/b:timer(50ms)"]}
)yaml",
    R"yaml(version: 1
executors:
  main:
    threads:
      left: {policy: fifo, priority: 50, cores: [0]}
      right: {policy: fifo, priority: 50, cores: [1]}
    default: left
    callbacks:
      - {match: "/a:timer(100ms)", offset: 0ms}
      - {match: "/b:timer(50ms)", threads: right, offset: 0ms}
)yaml");
  ASSERT_TRUE(plan) << plan.faults().front();
  const auto found = bounds(plan->model);
  ASSERT_TRUE(found);
  ASSERT_FALSE(found->chains.front());
  const std::string why = to_string(found->chains.front().faults().front());
  EXPECT_NE(why.find("only reads"), std::string::npos) << why;
}

TEST(JobWindows, WhatComesLaterDoesNotOvertakeOnAThreadOfOrderFifo)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/p:timer(100ms)", time: 10ms, period: 100ms}
  - {id: "/a:timer(100ms)", time: 2ms, period: 100ms}
  - {id: "/b:timer(100ms)", time: 5ms, period: 100ms}
chains:
  a: {path: ["/a:timer(100ms)"], deadline: 100ms}
)yaml";
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    order: fifo
    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}
    default: hot
    callbacks:
      - {match: "/p:timer(100ms)", offset: 0ms}
      - {match: "/a:timer(100ms)", offset: 1ms}
      - {match: "/b:timer(100ms)", offset: 5ms}
)yaml";
  // /b is due while /p runs, but /a precedes it.
  EXPECT_EQ(bound_of_chain(system, schedule), 11 * kMs);
}

const char * const kLateTimer = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/h:timer(100ms)", time: 45ms, period: 100ms}
  - {id: "/a:timer(20ms)", time: 10ms, period: 20ms}
chains:
  h: {path: ["/h:timer(100ms)"], deadline: 100ms}
  a: {path: ["/a:timer(20ms)"], deadline: 100ms}
)yaml";

std::string late_timer(const std::string & policy)
{
  return R"yaml(version: 1
executors:
  main:
    order: priority
    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}
    default: hot
    callbacks:
      - {match: "/h:timer(100ms)", offset: 1ms, priority: 2}
      - {match: "/a:timer(20ms)", offset: 0ms, priority: 1, missed_periods: )yaml" +
         policy + "}\n";
}

TEST(JobWindows, ATimerThatMaySkipPeriodsLeavesTheWindowsOfOthers)
{
  // The first run of /a precedes /h. The second run of /a waits from 20 ms until 55 ms.
  EXPECT_EQ(bound_of_chain(kLateTimer, late_timer("skip")), 54 * kMs);
  EXPECT_EQ(bound_of_chain(kLateTimer, late_timer("catch_up")), 54 * kMs);
}

TEST(JobWindows, NothingIsKnownBesideALateTimerThatLeavesItsGrid)
{
  const auto plan = parse_plan(kLateTimer, late_timer("restart"));
  ASSERT_TRUE(plan) << plan.faults().front();
  BoundsOptions options;
  options.jobs_only = true;
  const auto found = bounds(plan->model, options);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->chains.front());
}

constexpr const char * kTwoTimers = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 5ms, period: 100ms}
  - {id: "/b:timer(100ms)", time: 20ms, period: 100ms}
chains:
  a: {path: ["/a:timer(100ms)"], deadline: 100ms}
)yaml";

std::string two_timers(const std::string & first, const std::string & second)
{
  return R"yaml(version: 1
executors:
  main:
    order: priority
    threads: {hot: {policy: fifo, priority: 50, cores: [0]}}
    default: hot
    callbacks:
      - {match: "/a:timer(100ms)", priority: 2, offset: )yaml" +
         first + R"yaml(}
      - {match: "/b:timer(100ms)", priority: 1, offset: )yaml" +
         second + "}\n";
}

TEST(JobWindows, ATimerThatIsDueWithAMoreUrgentOneOfItsThreadDoesNotBlockIt)
{
  EXPECT_EQ(bound_of_chain(kTwoTimers, two_timers("0ms", "0ms")), 5 * kMs);
  EXPECT_EQ(bound_of_chain(kTwoTimers, two_timers("1ms", "0ms")), 24 * kMs);
  EXPECT_EQ(bound_of_chain(kTwoTimers, two_timers("0ms", "100ms")), 5 * kMs);
}

TEST(JobWindows, ATimerThatIsDueAloneFirstMayBlockAMoreUrgentOne)
{
  // /a begins one period later. The windows hold in all hyperperiods.
  EXPECT_EQ(bound_of_chain(kTwoTimers, two_timers("100ms", "0ms")), 25 * kMs);
}

TEST(JobWindows, OfWorkThatLessUrgentRunsStartOnlyThatOfOneCounts)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/x:timer(100ms)", time: 3ms, period: 100ms, publishes: /x}
  - {id: "/y:timer(100ms)", time: 3ms, period: 100ms, publishes: /y}
  - {id: "/u:sub(/x)", time: 10ms, triggers: /x}
  - {id: "/v:sub(/y)", time: 20ms, triggers: /y}
  - {id: "/j:timer(100ms)", time: 5ms, period: 100ms}
chains:
  j: {path: ["/j:timer(100ms)"], deadline: 100ms}
)yaml";
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    order: priority
    threads:
      hot: {policy: fifo, priority: 60, cores: [0]}
      own: {policy: fifo, priority: 50, cores: [0]}
      low: {policy: fifo, priority: 40, cores: [0]}
    default: hot
    callbacks:
      - {match: "/j:timer(100ms)", threads: own, offset: 0ms}
      - {match: "/x:timer(100ms)", threads: low, offset: 0ms}
      - {match: "/y:timer(100ms)", threads: low, offset: 0ms}
)yaml";
  EXPECT_EQ(bound_of_chain(system, schedule), 25 * kMs);
}

TEST(JobWindows, WhatAJobStartsDoesNotBlockIt)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 5ms, triggers: /a}
  - {id: "/p:timer(100ms)", time: 1ms, period: 100ms}
chains:
  a: {path: ["/a:timer(100ms)"], deadline: 100ms}
)yaml";
  EXPECT_EQ(
    bound_of_chain(system, one_thread({"/p:timer(100ms)", "/a:timer(100ms)", "/b:sub(/a)"})),
    11 * kMs);
}

// On one core, /b waits until /a has ended. So /c, which /b starts, cannot preempt /a, though the
// thread of /c is more urgent.
TEST(JobWindows, WhatComesBehindAWaitingCallbackDoesNotPreempt)
{
  const std::string system = R"yaml(version: 1
overheads: {}
hosts: {car: {cores: 1}}
callbacks:
  - {id: "/a:timer(100ms)", time: 10ms, period: 100ms, publishes: /a}
  - {id: "/b:sub(/a)", time: 5ms, triggers: /a, publishes: /b}
  - {id: "/c:sub(/b)", time: 3ms, triggers: /b}
  - {id: "/p:timer(100ms)", time: 1ms, period: 100ms}
chains:
  a: {path: ["/a:timer(100ms)"], deadline: 100ms}
)yaml";
  const std::string schedule = R"yaml(version: 1
executors:
  main:
    threads:
      high: {policy: fifo, priority: 60, cores: [0]}
      middle: {policy: fifo, priority: 50, cores: [0]}
      low: {policy: fifo, priority: 40, cores: [0]}
    default: middle
    callbacks:
      - {match: "/a:timer(100ms)", offset: 0ms}
      - {match: "/b:sub(/a)", threads: low}
      - {match: "/c:sub(/b)", threads: high}
      - {match: "/p:timer(100ms)", threads: high, offset: 0ms}
)yaml";
  EXPECT_EQ(bound_of_chain(system, schedule), 11 * kMs);
}

}  // namespace
}  // namespace takt_plan
