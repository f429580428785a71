// What only shows between entries of an executor, and what is doubtful rather than wrong.
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
      body += "  - {match: /n" + std::to_string(rules++) + ", threads: [t." + std::to_string(i) +
              ", t." + std::to_string(j) + "]}\n";
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
    "threads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n  - {match: /x, threads: b}\n"
    "  - {match: /y, threads: all}\n  - {match: /z, threads: a}";
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
                     "  - {match: /x, threads: [b, c]}\n  - {match: /y, threads: c}")),
    Strings{
      "s.yaml:9:9: under order 'stock' thread sets must not share threads, and this one shares c "
      "with line 8"});
}

TEST(CheckExecutor, CallbacksOfAFollowingPoolNeedPrioritiesItCanTake)
{
  EXPECT_EQ(
    faults(with_main(
      "order: priority\nthreads: {pool: {policy: fifo, priority: 50, follow: true}, rest: {}}\n"
      "default: rest\ncallbacks:\n  - {match: /x, threads: pool, priority: 51}\n"
      "  - {match: /y, threads: all, priority: 0}\n  - {match: /z, threads: pool, priority: 50}\n"
      "  - {match: /w, priority: 200}")),
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

TEST(CheckExecutor, WarnsOfPrioritiesThatTheOrderIgnores)
{
  EXPECT_EQ(
    warnings(with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n  - {match: /x, priority: 9}")),
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
    warnings(
      with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n  - {match: \"/x:subscription(/p)\"}\n"
                "  - {match: \"/x:tiemr(1s)\"}\n  - {match: \"/x:*(1s)\"}")),
    (Strings{
      "s.yaml:7:9: unusual kind 'subscription' in '/x:subscription(/p)'; did you mean 'sub'?",
      "s.yaml:8:9: unusual kind 'tiemr' in '/x:tiemr(1s)'; did you mean 'timer'?"}));
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
