// Checks of an executor's entries against each other, and warnings.
#include <gtest/gtest.h>

#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::parse;
using test::Strings;
using test::warnings;
using test::with_main;

TEST(CheckExecutor, ThreadSetsAreAtMost64)
{
  std::string body = "threads: {t: {count: 12}}\ndefault: all\ncallbacks:\n";
  int rules = 0;
  for (int i = 0; i < 12; ++i) {
    for (int j = i + 1; j < 12; ++j) {
      body += "  - {match: /n:w(" + std::to_string(rules++) + "), threads: [t." +
              std::to_string(i) + ", t." + std::to_string(j) + "]}\n";
    }
  }
  // The default and 63 rules make 64; the rule after them, on line 70, is one too many.
  EXPECT_EQ(
    faults(with_main(body)),
    Strings{
      "s.yaml:70:9: more than 64 different thread sets in executor 'main'; let more rules share "
      "their threads"});
}

TEST(CheckExecutor, WindowSetsMustNotShareThreads)
{
  const std::string body =
    "threads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n  - {match: /x:w(0), threads: b}\n"
    "  - {match: /y:w(0), threads: all}\n  - {match: /z:w(0), threads: a}";
  EXPECT_EQ(
    faults(with_main("order: window\n" + body)),
    Strings{
      "s.yaml:9:9: under order 'window' thread sets must not share threads, and this one shares a "
      "with the default"});
  EXPECT_EQ(faults(with_main("order: fifo\n" + body)), Strings{});
}

TEST(CheckExecutor, WindowSetsThatShareWithAnotherRuleNameItsLine)
{
  EXPECT_EQ(
    faults(with_main("order: stock\nthreads: {a: {}, b: {}, c: {}}\ndefault: a\ncallbacks:\n"
                     "  - {match: /x:w(0), threads: [b, c]}\n  - {match: /y:w(0), threads: c}")),
    Strings{
      "s.yaml:9:9: under order 'stock' thread sets must not share threads, and this one shares c "
      "with line 8"});
}

TEST(CheckExecutor, CallbacksOfAFollowingPoolNeedPrioritiesItCanTake)
{
  EXPECT_EQ(
    faults(with_main(
      "order: priority\nthreads: {pool: {policy: fifo, priority: 50, follow: true}, rest: {}}\n"
      "default: rest\ncallbacks:\n  - {match: /x:w(0), threads: pool, priority: 51}\n"
      "  - {match: /y:w(0), threads: all, priority: 0}\n  - {match: /z:w(0), threads: pool, "
      "priority: 50}\n"
      "  - {match: /w:w(0), priority: 200}")),
    (Strings{
      "s.yaml:8:9: priority 51 cannot be taken by the following pool 'pool'; use 1 to 50",
      "s.yaml:9:9: priority 0 cannot be taken by the following pool 'pool'; use 1 to 50"}));
}

TEST(CheckExecutor, ATieOverAnIdOfAChainIsAFault)
{
  EXPECT_EQ(
    faults(
      with_main("threads: {t: }\ndefault: t\ncallbacks:\n  - {match: \"/a*:timer(1s)\"}\n"
                "  - {match: \"/*b:timer(1s)\"}") +
      "chains:\n  c: {path: [\"/ab:timer(1s)\"]}\n"),
    Strings{"s.yaml:10:14: '/ab:timer(1s)' is matched equally well by '/a*:timer(1s)' (line 7) and "
            "'/*b:timer(1s)' (line 8); make one of them more specific"});
}

// ---- warnings ----

TEST(CheckExecutor, WarnsOfThreadsThatRunNothing)
{
  EXPECT_EQ(
    warnings(with_main("threads: {a: {}, b: {}}\ndefault: a")),
    Strings{"s.yaml:4:22: threads 'b' run nothing: neither the default nor a rule names them"});
}

TEST(CheckExecutor, DeadlineThreadsMustFitOnTheCores)
{
  const auto with_threads = [](int count) {
    return with_main(
      "threads: {a: {policy: deadline, runtime: 4ms, period: 10ms, count: " +
      std::to_string(count) +
      "}, b: {policy: deadline, runtime: 6ms, period: 10ms}}\ndefault: all");
  };
  EXPECT_EQ(faults(with_threads(8)), Strings{}) << "3.8 of 3.8";
  EXPECT_EQ(
    faults(with_threads(9)),
    Strings{
      "s.yaml:4:76: with 'b' the deadline threads take 4.20 cores, and the kernel admits 3.80; "
      "lower runtime or raise period"});
  Machine unlimited = test::machine();
  unlimited.deadline_share->share = 0.0;
  EXPECT_EQ(faults(with_threads(40), unlimited), Strings{});
  Machine assumed = test::machine();
  assumed.deadline_share->assumed = true;
  EXPECT_EQ(
    faults(with_threads(9), assumed),
    Strings{
      "s.yaml:4:76: with 'b' the deadline threads take 4.20 cores, and the kernel admits 3.80 "
      "(assumed; the fair server's files in /sys/kernel/debug cannot be read); lower runtime or "
      "raise period"});
}

TEST(CheckExecutor, WarnsOfPublishesLastWhereAllThreadsFollow)
{
  const std::string rule =
    "default: a\ncallbacks:\n  - {match: \"**\", priority: 1, publishes_last: true}";
  const std::string follows = "threads: {a: {policy: fifo, priority: 5, follow: true}}\n";
  const Strings said = warnings(with_main("order: priority\n" + follows + rule));
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back(), "s.yaml:8:9: publishes_last has no effect in following pools");
  EXPECT_EQ(warnings(with_main("order: priority\nthreads: {a: {}}\n" + rule)), Strings{});
}

TEST(CheckExecutor, WarnsOfPublishesLastOfACallbackThatOnlyFollowingThreadsRun)
{
  const auto said = [](const std::string & threads) {
    return warnings(with_main(
      "order: priority\nthreads: {a: {}, f: {policy: fifo, priority: 5, follow: true}}\n"
      "default: a\ncallbacks:\n  - {match: \"/x:**\", publishes_last: true}\n"
      "  - {match: \"/y:**\", priority: 1, publishes_last: true, threads: " +
      threads + "}"));
  };
  EXPECT_EQ(said("f"), Strings{"s.yaml:9:9: publishes_last has no effect in following pools"});
  EXPECT_EQ(said("[a, f]"), Strings{});
}

const char * const kTwoOrders =
  "version: 1\nexecutors:\n  one: {threads: {t: }, default: t, callbacks: [{match: \"/a:**\"}]}\n"
  "  two: {order: priority, threads: {t: }, default: t, callbacks: [{match: \"/b:**\"}]}\n"
  "chains:\n  c: {priority: 3, path: [";

TEST(CheckExecutor, WarnsOfChainPrioritiesThatNoExecutorHeeds)
{
  EXPECT_EQ(
    warnings(
      with_main("threads: {a: {}}\ndefault: a") +
      "chains:\n  c: {path: [\"/a:timer(1s)\"], priority: 9}\n"
      "  d: {path: [\"/a:timer(1s)\"], deadline: 9ms}\n"),
    Strings{"s.yaml:7:3: the priority of chain 'c' has no effect under order 'fifo'; did you mean "
            "order: priority?"});
  EXPECT_EQ(warnings(std::string(kTwoOrders) + "\"/a:sub(/x)\"]}\n").size(), 1U);
  EXPECT_EQ(warnings(std::string(kTwoOrders) + "\"/a:sub(/x)\", \"/b:sub(/x)\"]}\n"), Strings{});
  EXPECT_EQ(warnings(std::string(kTwoOrders) + "\"/elsewhere:sub(/x)\"]}\n"), Strings{});
}

TEST(CheckExecutor, AnIdBelongsToOneExecutor)
{
  EXPECT_EQ(
    faults(
      "version: 1\nexecutors:\n"
      "  one: {threads: {t: }, default: t, callbacks: [{match: \"/a:w(0)\"}, {match: "
      "\"/*:w(1)\"}]}\n"
      "  two: {threads: {t: }, default: t, callbacks: [{match: [\"/*:w(1)\", \"/a:w(0)\"]}]}\n"),
    Strings{
      "s.yaml:4:49: '/a:w(0)' belongs to executor 'one' already, on line 3; it can run in one "
      "only"});
}

TEST(CheckExecutor, WarnsOfPrioritiesThatTheOrderIgnores)
{
  EXPECT_EQ(
    warnings(
      with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n  - {match: /x:sub(/y), priority: 9}")),
    Strings{
      "s.yaml:7:9: callback priorities have no effect under order 'fifo'; did you mean order: "
      "priority?"});
}

TEST(CheckExecutor, WarnsOfNiceLevelsWhereTheyOnlyCountWithinASession)
{
  const std::string text = with_main("threads: {a: {}, b: {nice: 3}}\ndefault: all");
  Machine on = test::machine();
  EXPECT_EQ(warnings(text, on), Strings{});
  on.autogroup = true;
  EXPECT_EQ(
    warnings(text, on),
    Strings{"s.yaml:4:22: nice levels only count within a session here; to make them count between "
            "processes set sysctl kernel.sched_autogroup_enabled=0"});
  // An unused fallback gives no thread a nice level.
  const std::string falling = test::with_main(
    "missing_rights: report\nthreads: {a: {policy: fifo, priority: 3, fallback: {nice: 5}}}\n"
    "default: all");
  on.realtime = true;
  EXPECT_EQ(warnings(falling, on), Strings{});
  on.realtime = false;
  EXPECT_EQ(warnings(falling, on).size(), 1U);
  // If a priority is in force, the nice level of the other threads has little effect.
  EXPECT_EQ(
    warnings(
      with_main("threads: {a: {policy: fifo, priority: 3}, b: {nice: 3}}\ndefault: all"), on),
    Strings{});
}

TEST(CheckExecutor, WarnsOfAFallbackThatIsNeverUsed)
{
  EXPECT_EQ(
    warnings(test::with_thread("policy: fifo, priority: 3, fallback: {nice: -5}")),
    Strings{
      "s.yaml:4:46: this fallback is never used under missing_rights: fail; add missing_rights: "
      "report"});
}

TEST(CheckExecutor, WarnsOfADefaultThatIsAFollowingPool)
{
  EXPECT_EQ(
    warnings(test::with_thread("policy: fifo, priority: 3, follow: true")),
    Strings{
      "s.yaml:4:15: the default threads include the following pool 't': a callback there needs a "
      "priority from 1 to 3 by a rule or a chain, or it cannot be added"});
}

TEST(CheckExecutor, WarnsOfNamesTheKernelCuts)
{
  EXPECT_EQ(
    warnings(with_main("threads: {perception_threads: {count: 2}}\ndefault: all")),
    Strings{
      "s.yaml:4:15: the kernel cuts the thread name 'perception_threads.1' to 'perception_thre'; "
      "choose a shorter one"});
}

TEST(CheckExecutor, WarnsOfKindsThatNoAdapterUses)
{
  EXPECT_EQ(
    warnings(with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n  - {match: \"/x:tiemr(1s)\"}\n"
                       "  - {match: \"/x:*(1s)\"}")),
    Strings{"s.yaml:7:9: unusual kind 'tiemr' in '/x:tiemr(1s)'; did you mean 'timer'?"});
}

TEST(CheckExecutor, WarnsOfAChainsPeriodThatIsNotItsRoots)
{
  EXPECT_EQ(
    warnings(
      with_main("threads: {a: {}}\ndefault: a") +
      "chains:\n  c: {path: [\"/x:timer(100ms)\"], period: 10ms}\n"
      "  d: {path: [\"/x:timer(100ms)\"], period: 0.1s}\n"),
    Strings{"s.yaml:7:34: chain 'c' has period 10ms but its root is '/x:timer(100ms)'"});
}

}  // namespace
}  // namespace takt_schedule
