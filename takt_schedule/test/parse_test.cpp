// Each field by itself: its value, and the fault for each mistake.
#include "takt_schedule/parse.hpp"

#include <gtest/gtest.h>

#include "docs_example.hpp"
#include "schedule_text.hpp"

namespace takt_schedule
{
namespace
{

using test::faults;
using test::parse;
using test::Strings;
using test::with_main;
using test::with_thread;
using namespace std::chrono_literals;

TEST(Parse, ReadsEveryFieldOfTheExample)
{
  const Schedule schedule = parse(test::docs_example("valid"));
  ASSERT_EQ(schedule.executors.size(), 2U);
  EXPECT_EQ(schedule.system, "car.yaml");
  const ExecutorSchedule & main = schedule.executors[0];
  EXPECT_EQ(main.name, "main");
  EXPECT_EQ(main.order, takt_core::Order::priority);
  EXPECT_EQ(main.missing_rights, takt_core::MissingRights::report);
  ASSERT_EQ(main.threads.size(), 2U);
  const Threads & hot = main.threads[0];
  EXPECT_EQ(hot.count, 2);
  EXPECT_EQ(hot.attributes.policy, takt_rt::Policy::fifo);
  EXPECT_EQ(hot.attributes.priority, 80);
  EXPECT_EQ(hot.attributes.cores, (std::vector<int>{0, 1}));
  EXPECT_EQ(hot.attributes.stack_size, 256U * 1024);
  EXPECT_TRUE(hot.spread);
  EXPECT_EQ(hot.fallback, Fallback{-10});
  EXPECT_EQ(main.threads[1].attributes.nice, 5);
  EXPECT_EQ(main.default_threads, Strings{"rest"});
  ASSERT_EQ(main.callbacks.size(), 3U);
  EXPECT_EQ(main.callbacks[0].offset, 10ms);
  EXPECT_EQ(main.callbacks[0].missed_periods, takt_core::MissedPeriods::skip);
  EXPECT_EQ(main.callbacks[1].match.size(), 2U);
  EXPECT_EQ(main.callbacks[1].priority, 90);
  EXPECT_EQ(main.callbacks[1].deadline, 20ms);
  EXPECT_TRUE(main.callbacks[1].publishes_last);
  EXPECT_EQ(main.callbacks[1].boost->depth, 0.25);
  EXPECT_EQ(main.callbacks[1].boost->max, 120);
  EXPECT_EQ(main.callbacks[1].watch.backlog->messages, 3U);
  EXPECT_EQ(main.callbacks[1].watch.budget, 5ms);
  EXPECT_EQ(main.callbacks[1].watch.stall, 200ms);
  EXPECT_EQ(main.callbacks[1].watch.misses, (MissRule{1, 20}));
  EXPECT_EQ(main.callbacks[1].watch.on_alarm.size(), 2U);
  EXPECT_FALSE(main.callbacks[1].non_triggering);
  ASSERT_TRUE(main.callbacks[2].non_triggering);
  EXPECT_EQ(
    *main.callbacks[2].non_triggering,
    (NonTriggeringRule{{"/ObjectCollisionEstimator:sub(/front/clusters)"}, 1, 200ms}));
  ASSERT_EQ(main.groups.size(), 4U);
  EXPECT_TRUE(main.groups[0].across_priorities);
  EXPECT_FALSE(main.groups[0].isolate);
  EXPECT_FALSE(main.groups[0].when);
  EXPECT_EQ(main.groups[1].when, (ConditionRule{0, std::nullopt, std::nullopt}));
  EXPECT_EQ(main.groups[2].logical_time, takt_core::LateOutputs::publish);
  EXPECT_FALSE(main.groups[3].logical_time);
  ASSERT_TRUE(main.groups[3].isolate);
  EXPECT_EQ(main.groups[3].isolate->count, 2);
  EXPECT_EQ(main.groups[3].isolate->attributes.priority, 70);
  ASSERT_EQ(main.process_threads.size(), 1U);
  EXPECT_EQ(main.process_threads[0].attributes.priority, 85);
  EXPECT_EQ(schedule.executors[1].default_threads, Strings{"all"});
  ASSERT_EQ(schedule.chains.size(), 1U);
  const takt_core::ChainOptions & chain = schedule.chains[0].options;
  EXPECT_EQ(chain.path.size(), 4U);
  EXPECT_EQ(chain.priority, 90);
  EXPECT_EQ(chain.deadline, 50ms);
  EXPECT_EQ(chain.period, 100ms);
  EXPECT_EQ(schedule.chains[0].watch.misses, (MissRule{2, 50}));
  EXPECT_EQ(schedule.chains[0].watch.on_alarm.size(), 2U);
  EXPECT_EQ(schedule.chains[0].watch.fail_safe.size(), 2U);
  EXPECT_EQ(schedule.watch, WatchSettings());
}

TEST(Parse, KnowsWhereEverythingStands)
{
  const Schedule schedule = parse(
    "version: 1\n"
    "executors:\n"
    "  main:\n"
    "    threads:\n"
    "      a: {}\n"
    "    default: a\n"
    "    callbacks:\n"
    "      - match: /a:w(0)\n"
    "chains:\n"
    "  c:\n"
    "    path: [/a:w(0)]\n");
  EXPECT_EQ(schedule.executors[0].source.line, 3);
  EXPECT_EQ(schedule.executors[0].threads[0].source.line, 5);
  EXPECT_EQ(schedule.executors[0].callbacks[0].source.line, 8);
  EXPECT_EQ(schedule.executors[0].callbacks[0].source.column, 9);
  EXPECT_EQ(schedule.chains[0].source.line, 10);
  EXPECT_EQ(schedule.chains[0].path_sources[0].line, 11);
}

TEST(Parse, TheSmallestScheduleHasTheCoresDefaults)
{
  const Schedule schedule = parse("version: 1\nexecutors: {main: {threads: {t: }, default: t}}");
  const ExecutorSchedule & main = schedule.executors[0];
  const takt_core::ExecutorOptions defaults;
  EXPECT_EQ(main.order, defaults.order);
  EXPECT_EQ(main.on_exception, defaults.on_exception);
  EXPECT_EQ(main.missing_rights, defaults.missing_rights);
  EXPECT_EQ(main.middleware_ceiling.mode, defaults.middleware_ceiling.mode);
  EXPECT_EQ(main.threads[0].attributes, takt_rt::ThreadAttributes{});
}

TEST(Parse, EmptySectionsAreFine)
{
  const Schedule schedule = parse(
    with_main("threads: {t: {}}\ndefault: t\ncallbacks:\ngroups:\nprocess_threads:") + "chains:\n");
  EXPECT_TRUE(schedule.executors[0].callbacks.empty());
}

// ---- top level ----

TEST(Parse, TheVersionIsRequired)
{
  EXPECT_EQ(
    faults("executors: {main: {threads: {t: }, default: t}}"),
    Strings{"s.yaml:1:1: no format version; add 'version: 1'"});
}

TEST(Parse, AnUnknownVersionIsTheOnlyFault)
{
  EXPECT_EQ(
    faults("version: 2\nexecutors: 5\n"),
    Strings{"s.yaml:1:10: format version '2' is unknown; this takt reads 1"});
}

TEST(Parse, UnknownTopLevelKeysAreFaultsWithASuggestion)
{
  EXPECT_EQ(
    faults("version: 1\nexecutor: {}\nhosts: {}\n"),
    (Strings{
      "s.yaml:1:1: no executors; add 'executors:' with one entry per executor",
      "s.yaml:2:1: unknown key 'executor' in a schedule; did you mean 'executors'?",
      "s.yaml:3:1: unknown key 'hosts' in a schedule; known keys are version, system, strict, "
      "epoch, settles, executors, chains, topics and watch"}));
}

TEST(Parse, BooleansAreTrueOrFalse)
{
  EXPECT_EQ(
    faults("version: 1\nstrict: yes\nexecutors: {m: {threads: {t: }, default: t}}"),
    Strings{"s.yaml:2:9: strict cannot be 'yes'; choices are true and false"});
}

TEST(Parse, NoExecutorsAreAFault)
{
  EXPECT_EQ(
    faults("version: 1\nexecutors: {}\n"),
    Strings{"s.yaml:2:1: executors is empty; add one entry per executor"});
  EXPECT_EQ(
    faults("version: 1\nexecutors: [main]\n"),
    Strings{"s.yaml:2:12: executors must be a map, not a list"});
}

// ---- executors ----

TEST(Parse, AnExecutorNeedsThreadsAndADefault)
{
  EXPECT_EQ(
    faults("version: 1\nexecutors:\n  main:\n"),
    (Strings{
      "s.yaml:3:3: executor 'main' has no 'threads'; add for example threads: {main: {}}",
      "s.yaml:3:3: executor 'main' has no 'default'; add the threads that callbacks use which no "
      "rule names, such as default: all"}));
}

TEST(Parse, EmptyThreadsAreAFault)
{
  EXPECT_EQ(
    faults(with_main("threads: {}\ndefault: all")),
    Strings{"s.yaml:4:5: threads is empty; add for example 'main: {}' for one ordinary thread"});
}

TEST(Parse, WrongChoicesAreFaultsWithTheOneThatWasMeant)
{
  EXPECT_EQ(
    faults(with_main(
      "order: prioritty\non_exception: ignore\nmissing_rights: reprot\nmiddleware_ceiling: atuo\n"
      "lock_memory: 1\nthreads: {t: {policy: SCHED_FIFO}}\ndefault: t")),
    (Strings{
      "s.yaml:4:12: order cannot be 'prioritty'; did you mean 'priority'?",
      "s.yaml:5:19: on_exception cannot be 'ignore'; choices are stop and report",
      "s.yaml:6:21: missing_rights cannot be 'reprot'; did you mean 'report'?",
      "s.yaml:7:25: middleware_ceiling cannot be 'atuo'; did you mean 'auto'?",
      "s.yaml:8:18: lock_memory cannot be '1'; choices are true and false",
      "s.yaml:9:27: policy cannot be 'SCHED_FIFO'; did you mean 'fifo'?"}));
}

TEST(Parse, TheMiddlewareCeilingIsAutoOffOrAPriority)
{
  const auto ceiling = [](const std::string & value) {
    return parse(with_main("middleware_ceiling: " + value + "\nthreads: {t: }\ndefault: t"))
      .executors[0]
      .middleware_ceiling;
  };
  EXPECT_EQ(ceiling("auto").mode, takt_core::MiddlewareCeiling::Mode::automatic);
  EXPECT_EQ(ceiling("off").mode, takt_core::MiddlewareCeiling::Mode::off);
  EXPECT_EQ(ceiling("99").mode, takt_core::MiddlewareCeiling::Mode::fixed);
  EXPECT_EQ(ceiling("99").priority, 99);
  EXPECT_EQ(
    faults(with_main("middleware_ceiling: 100\nthreads: {t: }\ndefault: t")),
    Strings{"s.yaml:4:25: middleware_ceiling must be a whole number from 1 to 99, not '100'"});
}

TEST(Parse, WindowTimersBelongToWindowOrders)
{
  EXPECT_EQ(
    faults(with_main("window_timers: immediate\nthreads: {t: }\ndefault: t")),
    Strings{
      "s.yaml:4:5: window_timers has no meaning under order 'fifo'; use order window or stock, or "
      "omit it"});
  EXPECT_EQ(
    parse(with_main("order: window\nwindow_timers: immediate\nthreads: {t: }\ndefault: t"))
      .executors[0]
      .window_timers,
    takt_core::WindowTimers::immediate);
}

TEST(Parse, AnExecutorHasTheEpochOfTheFileUnlessItNamesOne)
{
  using takt_core::Epoch;
  const std::string executors =
    "executors:\n  a: {threads: {t: }, default: t}\n"
    "  b: {epoch: start, threads: {t: }, default: t}\n"
    "  c: {epoch: host, threads: {t: }, default: t}\n";
  const Schedule host = parse("version: 1\nepoch: host\n" + executors);
  EXPECT_EQ(host.executors[0].epoch.from, Epoch::host);
  EXPECT_EQ(host.executors[1].epoch.from, Epoch::start);
  EXPECT_EQ(host.executors[2].epoch.from, Epoch::host);
  const Schedule start = parse("version: 1\n" + executors);
  EXPECT_EQ(start.executors[0].epoch.from, Epoch::start);
  EXPECT_EQ(start.executors[2].epoch.from, Epoch::host);
  EXPECT_NE(host, start);
  EXPECT_EQ(
    faults("version: 1\nepoch: hots\nexecutors: {a: {epoch: boot, threads: {t: }, default: t}}"),
    (Strings{
      "s.yaml:2:8: epoch cannot be 'hots'; did you mean 'host'?",
      "s.yaml:3:24: epoch cannot be 'boot'; choices are start and host"}));
}

TEST(Parse, SaysHowLongPhasesTakeToSettle)
{
  const auto with = [](const std::string & file, const std::string & rule) {
    return "version: 1\n" + file + "executors: {a: {threads: {t: }, default: t, callbacks: [" +
           "{match: '/a:timer(1s)', offset: 0ms" + rule + "}]}}";
  };
  const Schedule none = parse(with("", ""));
  EXPECT_FALSE(none.executors[0].settles);
  EXPECT_FALSE(none.executors[0].callbacks[0].never_settles);
  const Schedule both = parse(with("settles: 1.2s\n", ", settles: never"));
  EXPECT_EQ(both.executors[0].settles, 1200ms);
  EXPECT_TRUE(both.executors[0].callbacks[0].never_settles);
  EXPECT_NE(both, none);
  EXPECT_EQ(
    faults(with("settles: never\n", ", settles: 1s")),
    (Strings{
      "s.yaml:2:10: settles: 'never' is not a number with a unit; write for example 100ms",
      "s.yaml:3:103: settles cannot be '1s'; there is only 'never'"}));
}

TEST(Parse, AClockOfSeveralHostsIsAnEpoch)
{
  const auto with_epoch = [](const std::string & epoch) {
    return "version: 1\nepoch: " + epoch + "\nexecutors: {a: {threads: {t: }, default: t}}";
  };
  const Schedule schedule = parse(with_epoch("{clock: tai, uncertainty: 80us}"));
  EXPECT_EQ(schedule.executors[0].epoch, (EpochSchedule{takt_core::Epoch::tai, 80us}));
  EXPECT_TRUE(schedule.warnings.empty());
  EXPECT_EQ(
    test::warnings(with_epoch("{clock: tai}")),
    Strings{
      "s.yaml:2:8: bounds take the clocks of all hosts for equal; say how far they may be off, as "
      "in {clock: tai, uncertainty: 100us}"});
  EXPECT_EQ(
    faults(with_epoch("{clock: tia, uncertainty: 5}")),
    (Strings{
      "s.yaml:2:16: clock cannot be 'tia'; tai is the one that several hosts have in common, and "
      "epoch: host the one of a single host",
      "s.yaml:2:34: uncertainty: '5' has no unit; write 5ms (units are ns, us, ms, s and min)"}));
  EXPECT_EQ(faults(with_epoch("{uncertainty: 5ms}")).size(), 1U);
  EXPECT_EQ(faults(with_epoch("{clock: tai, uncertanty: 5ms}")).size(), 1U);
}

TEST(Parse, NamesMustBePlain)
{
  EXPECT_EQ(
    faults("version: 1\nexecutors: {'a b': {threads: {'t.0': }, default: t.0}}"),
    (Strings{
      "s.yaml:2:13: an executor cannot be named 'a b'; use letters, digits, '_' and '-', '.', '/'",
      "s.yaml:2:31: threads cannot be named 't.0'; use letters, digits, '_' and '-'"}));
  EXPECT_EQ(
    faults(with_main("threads: {all: }\ndefault: all")),
    Strings{"s.yaml:4:15: threads cannot be named 'all', which means every thread"});
}

// ---- threads ----

TEST(Parse, PrioritiesAreFrom1To99AndRequiredWithRealTimePolicies)
{
  EXPECT_EQ(
    faults(with_thread("policy: fifo, priority: 0")),
    Strings{"s.yaml:4:43: priority must be a whole number from 1 to 99, not '0'"});
  EXPECT_EQ(
    faults(with_thread("policy: rr, priority: high")),
    Strings{"s.yaml:4:41: priority must be a whole number from 1 to 99, not 'high'"});
  EXPECT_EQ(
    faults(with_thread("policy: fifo")),
    Strings{"s.yaml:4:19: policy 'fifo' needs a priority; add priority: 1 to 99"});
  EXPECT_EQ(
    faults(with_thread("priority: 50")),
    Strings{"s.yaml:4:19: priority needs a policy; use policy fifo or rr, or omit it"});
}

TEST(Parse, NiceBelongsToOtherAndBatch)
{
  EXPECT_EQ(
    faults(with_thread("policy: fifo, priority: 5, nice: 3")),
    Strings{
      "s.yaml:4:46: nice does not belong to policy 'fifo'; use policy other or batch, or omit it"});
  EXPECT_EQ(
    faults(with_thread("nice: 20")),
    Strings{"s.yaml:4:25: nice must be a whole number from -20 to 19, not '20'"});
}

TEST(Parse, TheDeadlinePolicyNeedsRuntimeAndPeriod)
{
  const Schedule schedule = parse(with_thread("policy: deadline, runtime: 2ms, period: 10ms"));
  EXPECT_EQ(schedule.executors[0].threads[0].attributes.deadline, 10ms) << "default: the period";
  EXPECT_EQ(
    faults(with_thread("policy: deadline")),
    (Strings{
      "s.yaml:4:19: policy 'deadline' needs a runtime; add for example runtime: 10ms",
      "s.yaml:4:19: policy 'deadline' needs a period; add for example period: 10ms"}));
  EXPECT_EQ(
    faults(with_thread("policy: deadline, runtime: 20ms, period: 10ms")),
    Strings{
      "s.yaml:4:19: policy 'deadline' needs runtime <= deadline <= period, not 20ms, 10ms, 10ms"});
  EXPECT_EQ(
    faults(with_thread("runtime: 2ms")),
    Strings{"s.yaml:4:19: runtime needs a policy; use policy deadline, or omit it"});
}

TEST(Parse, TheDeadlinePolicyCannotHaveCores)
{
  EXPECT_EQ(
    faults(with_thread("policy: deadline, runtime: 2ms, period: 10ms, cores: [0]")),
    Strings{"s.yaml:4:65: policy 'deadline' cannot be combined with cores; put the process into an "
            "exclusive cpuset instead"});
}

TEST(Parse, CoresMustExistOnce)
{
  EXPECT_EQ(
    faults(with_thread("cores: [0, 4, 0, x]")),
    (Strings{
      "s.yaml:4:30: core 4 cannot be used; usable cores are 0-3",
      "s.yaml:4:33: core 0 is listed twice",
      "s.yaml:4:36: cores must be a whole number from 0 to 4095, not 'x'"}));
  EXPECT_EQ(
    faults(with_thread("cores: []")), Strings{"s.yaml:4:26: cores is an empty list; omit it"});
  EXPECT_EQ(parse(with_thread("cores: 3")).executors[0].threads[0].attributes.cores[0], 3);
}

TEST(Parse, CoresOfAnExecutorOnAnotherMachineAreNotJudged)
{
  Machine here = test::machine();
  here.executor = "other";
  EXPECT_EQ(faults(with_thread("cores: [77]"), here), Strings{});
  here.executor = "main";
  EXPECT_EQ(faults(with_thread("cores: [77]"), here).size(), 1U);
}

TEST(Parse, SpreadOfDeadlineThreadsIsAFaultAsTheirCoresAre)
{
  EXPECT_EQ(
    faults(with_thread("policy: deadline, runtime: 1ms, period: 9ms, spread: true")),
    Strings{"s.yaml:4:64: policy 'deadline' cannot have cores of its own; remove spread"});
}

TEST(Parse, FollowNeedsPolicyFifo)
{
  EXPECT_EQ(
    faults(with_thread("policy: rr, priority: 3, follow: true")),
    Strings{"s.yaml:4:44: a following pool needs policy 'fifo', not 'rr'"});
}

TEST(Parse, FallbacksBelongToPoliciesThatNeedRights)
{
  EXPECT_EQ(
    faults(with_thread("fallback: {nice: -5}")),
    Strings{
      "s.yaml:4:19: a fallback belongs to policies that need rights, not to 'inherit'; omit it"});
  EXPECT_EQ(
    faults(with_thread("policy: fifo, priority: 3, fallback: {nce: -5}")),
    Strings{"s.yaml:4:57: unknown key 'nce' in fallback; did you mean 'nice'?"});
}

TEST(Parse, StacksHaveUnitsAndASmallestSize)
{
  EXPECT_EQ(
    faults(with_thread("stack: 64")),
    Strings{"s.yaml:4:26: stack: '64' has no unit; write 64KiB (units are B, KiB, MiB and GiB)"});
  const Strings small = faults(with_thread("stack: 1B"));
  ASSERT_EQ(small.size(), 1U);
  EXPECT_TRUE(small[0].starts_with("s.yaml:4:26: stack_size 1 is below")) << small[0];
}

TEST(Parse, ThreadsAreAtMost63)
{
  EXPECT_EQ(
    faults(with_thread("count: 64")),
    Strings{"s.yaml:4:26: count must be a whole number from 1 to 63, not '64'"});
  EXPECT_EQ(
    faults(with_main("threads:\n  a: {count: 40}\n  b: {count: 24}\ndefault: all")),
    Strings{"s.yaml:6:7: more than 63 executor threads with 'b'; split the executor"});
}

TEST(Parse, UnknownThreadsAreFaultsWithTheOneThatWasMeant)
{
  EXPECT_EQ(
    faults(with_main("threads: {hot: {count: 2}, rest: {}}\ndefault: [rset]\ncallbacks:\n"
                     "  - {match: /a:w(0), threads: hot.2}\n  - {match: /b:w(0), threads: [rest, "
                     "nobody, hot.1]}")),
    (Strings{
      "s.yaml:5:15: unknown thread 'rset'; did you mean 'rest'?",
      "s.yaml:7:35: unknown thread 'hot.2'; did you mean 'hot.0'?",
      "s.yaml:8:42: unknown thread 'nobody'; threads are all, hot and rest"}));
  // Suggests each name once, and no faulty name.
  EXPECT_EQ(
    faults(with_main("threads: {a: {}, 'b c': {}}\ndefault: xyz.x")),
    (Strings{
      "s.yaml:4:22: threads cannot be named 'b c'; use letters, digits, '_' and '-'",
      "s.yaml:5:14: unknown thread 'xyz.x'; threads are all and a"}));
}

// ---- rules ----

std::string with_rule(const std::string & rule)
{
  return with_main("threads: {t: }\ndefault: t\ncallbacks:\n  - " + rule);
}

TEST(Parse, RulesNeedAMatch)
{
  EXPECT_EQ(
    faults(with_rule("{threads: t}")), Strings{"s.yaml:7:9: this callback rule has no 'match'"});
  EXPECT_EQ(
    faults(with_rule("{match: []}")),
    Strings{"s.yaml:7:17: match must be a pattern or a list of patterns, not an empty list"});
  EXPECT_EQ(
    faults(with_rule("/a:w(0)")),
    Strings{"s.yaml:7:9: each entry of callbacks must be a map that starts with '- match:'"});
}

TEST(Parse, RulesHaveRanges)
{
  EXPECT_EQ(
    faults(with_rule("{match: /a:*(0), priority: 256, deadline: 0ms, offset: -1ms, missed_periods: "
                     "skp, backlog: 0}")),
    (Strings{
      "s.yaml:7:36: priority must be a whole number from 0 to 255, not '256'",
      "s.yaml:7:51: deadline must be longer than zero", "s.yaml:7:64: offset: '-1ms' is negative",
      "s.yaml:7:86: missed_periods cannot be 'skp'; did you mean 'skip'?",
      "s.yaml:7:100: backlog must be a whole number from 1 to 1000000, not '0'"}));
}

TEST(Parse, PatternsThatCannotMatchAreFaults)
{
  EXPECT_EQ(
    faults(with_rule("{match: [\"/a***\", \"lidar:sub(/p)\"]}")),
    (Strings{
      "s.yaml:7:18: pattern '/a***' has 3 stars in a row; '*' stays within one segment, '**' "
      "crosses",
      "s.yaml:7:27: pattern 'lidar:sub(/p)' can match nothing, ids start with '/'; write "
      "'/lidar:sub(/p)' or '**/lidar:sub(/p)'"}));
}

TEST(Parse, PatternsWithoutANodeAreFaultsThatNameOnesOfAnyNode)
{
  const auto said = [](const std::string & pattern, const std::string & meant) {
    return Strings{
      "s.yaml:7:17: pattern '" + pattern + "' can match nothing, ids start with '/'; write '" +
      meant + "', or the node's name in place of '**'"};
  };
  for (const auto & [pattern, meant] : std::vector<std::pair<std::string, std::string>>{
         {"sub(images)", "**:sub(/images)"},
         {"sub(/images)", "**:sub(/images)"},
         {"timer(100ms)", "**:timer(100ms)"},
         {"service(ask)#2", "**:service(/ask)#2"}}) {
    EXPECT_EQ(faults(with_rule("{match: \"" + pattern + "\"}")), said(pattern, meant));
  }
  EXPECT_EQ(
    faults(with_rule("{match: \"lidar@Timer(33000000)\"}")),
    Strings{
      "s.yaml:7:17: pattern 'lidar@Timer(33000000)' can match nothing, ids start with '/'; write "
      "'/lidar@Timer(33000000)' or '**/lidar@Timer(33000000)'"});
}

TEST(Parse, TimerFieldsBelongToTimers)
{
  EXPECT_EQ(
    faults(with_rule("{match: \"/a:sub(/p)\", offset: 1ms}")),
    Strings{"s.yaml:7:31: offset belongs to timers, and '/a:sub(/p)' is none"});
}

TEST(Parse, DuplicateIdsAndPatternsThatAlwaysTieAreFaults)
{
  EXPECT_EQ(
    faults(
      with_main("threads: {t: }\ndefault: t\ncallbacks:\n"
                "  - {match: \"/a:timer(1s)\"}\n  - {match: [\"/a:timer(1s)\", \"/a:timer(*)\"]}\n"
                "  - {match: \"/a:timer(**)\"}")),
    (Strings{
      "s.yaml:8:18: duplicate id '/a:timer(1s)'; it is on line 7 already",
      "s.yaml:9:17: pattern '/a:timer(**)' always ties with '/a:timer(*)' on line 8, which has the "
      "same literal characters; make one of them longer"}));
}

TEST(Parse, ProcessThreadPatternsFitTheKernelsNames)
{
  EXPECT_EQ(
    faults(with_main("threads: {t: }\ndefault: t\nprocess_threads:\n"
                     "  - {match: dds.udp.discovery.7412, policy: fifo, priority: 3}\n"
                     "  - {match: \"dds**\", cores: [9]}")),
    (Strings{
      "s.yaml:7:9: pattern 'dds.udp.discovery.7412' can match nothing, the kernel keeps 15 "
      "characters of a thread's name; write 'dds.udp.discove'",
      "s.yaml:8:17: pattern 'dds**' has 2 stars in a row; names have no segments, '*' stands for "
      "any characters",
      "s.yaml:8:34: core 9 cannot be used; usable cores are 0-3"}));
}

TEST(Parse, GroupsAllowOrForbid)
{
  EXPECT_EQ(
    faults(with_main("threads: {t: }\ndefault: t\ngroups:\n"
                     "  - {match: \"/a:group(*)\", across_priorities: alow}")),
    Strings{"s.yaml:7:51: across_priorities cannot be 'alow'; did you mean 'allow'?"});
  EXPECT_EQ(
    faults(with_main("threads: {a: {}}\ndefault: a\ngroups:\n"
                     "  - {match: \"/a:group(*)\", policy: fifo, priority: 5}\n"
                     "  - {match: \"/b:group(*)\", isolate: true, policy: fifo}\n"
                     "  - {match: \"/c:group(*)\", isolate: true, count: 64}")),
    (Strings{
      "s.yaml:7:32: policy belongs to the threads of isolated groups; add isolate: true, or omit "
      "it",
      "s.yaml:7:46: priority belongs to the threads of isolated groups; add isolate: true, or omit "
      "it",
      "s.yaml:8:47: policy 'fifo' needs a priority; add priority: 1 to 99",
      "s.yaml:9:54: count must be a whole number from 1 to 63, not '64'"}));
}

// ---- chains ----

std::string with_chain(const std::string & chain)
{
  return "version: 1\nexecutors: {m: {threads: {t: }, default: t}}\nchains:\n  c: {" + chain +
         "}\n";
}

TEST(Parse, ChainsNeedAPathOfExactIdsEachOnce)
{
  EXPECT_EQ(
    faults(with_chain("priority: 3")),
    Strings{"s.yaml:4:3: chain 'c' has no 'path'; list its callback ids, root first"});
  EXPECT_EQ(
    faults(with_chain("path: [\"/a:timer(*)\", b, /c:w(0), /c:w(0)]")),
    (Strings{
      "s.yaml:4:14: chains name exact ids, and '/a:timer(*)' is a pattern",
      "s.yaml:4:29: 'b' is not a callback id; ids look like '/node:timer(100ms)'",
      "s.yaml:4:41: duplicate id '/c:w(0)' in chain 'c'; it is on line 4 already"}));
}

TEST(Parse, ChainsHaveRangesAndUnits)
{
  EXPECT_EQ(
    faults(with_chain("path: [/a:w(0)], priority: 256, deadline: 50, period: 1hour")),
    (Strings{
      "s.yaml:4:34: priority must be a whole number from 0 to 255, not '256'",
      "s.yaml:4:49: deadline: '50' has no unit; write 50ms (units are ns, us, ms, s and min)",
      "s.yaml:4:61: period: '1hour' has the unknown unit 'hour'; units are ns, us, ms, s and "
      "min"}));
}

TEST(Parse, IdsWithCharactersNobodySeesAreFaults)
{
  EXPECT_EQ(
    faults(with_chain("path: [\" /a:timer(1s)\", \"/a: sub(/x)\", \"/a:timer(1s)\\x01\"]")),
    (Strings{
      "s.yaml:4:14: ' /a:timer(1s)' has a space in it; did you mean '/a:timer(1s)'?",
      "s.yaml:4:31: '/a: sub(/x)' has a space in it; did you mean '/a:sub(/x)'?",
      "s.yaml:4:46: '/a:timer(1s)\\x01' contains a control character; remove it"}));
  const auto with_match = [](const std::string & match) {
    return with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n  - {match: " + match + "}");
  };
  EXPECT_EQ(
    faults(with_match("\"/a:timer(*) \"")),
    Strings{"s.yaml:7:17: '/a:timer(*) ' has a space in it; did you mean '/a:timer(*)'?"});
  EXPECT_EQ(faults(with_match("\"/a:waitable(my name)\"")), Strings{}) << "names are free";
}

TEST(Parse, AStarThatCanBeNoTopicIsAWarning)
{
  const auto said = [](const std::string & match) {
    return test::warnings(
      with_main("threads: {a: {}}\ndefault: a\ncallbacks:\n  - {match: \"" + match + "\"}"));
  };
  EXPECT_EQ(
    said("/a:sub(*)"),
    Strings{
      "s.yaml:7:9: pattern '/a:sub(*)' matches no topic: '*' stays within one segment, and topics "
      "begin with '/'; did you mean '/a:sub(/*)', or '/a:sub(**)' for topics of any depth?"});
  EXPECT_EQ(said("/a:client(*)").size(), 1U);
  for (const char * good : {"/a:sub(/*)", "/a:sub(**)", "/a:sub(*/x)", "/a:timer(*)", "/a:*(*)"}) {
    EXPECT_EQ(said(good), Strings{}) << good;
  }
}

TEST(Parse, WhatCanBeNoIdIsAFault)
{
  EXPECT_EQ(
    faults(with_chain("path: [/nonsense, \"/a:timer(1s)#2\", \"/a:timer(1s)#\", /a//b:sub(/x)]")),
    (Strings{
      "s.yaml:4:14: '/nonsense' is not a callback id; ids look like '/node:timer(100ms)'",
      "s.yaml:4:43: '/a:timer(1s)#' is not a callback id; ids look like '/node:timer(100ms)'",
      "s.yaml:4:60: '/a//b:sub(/x)' is not a callback id; ids look like '/node:timer(100ms)'"}));
  EXPECT_EQ(
    faults(
      with_rule("{match: [\"/b:timer(*\", /lidar, \"/a/*\", \"/a/**\", \"**\", \"/a:t*)*\"]}")),
    (Strings{
      "s.yaml:7:18: pattern '/b:timer(*' can match nothing, ids look like '/node:timer(100ms)'; "
      "did "
      "you mean '/b:timer(*)'?",
      "s.yaml:7:32: pattern '/lidar' can match nothing, ids look like '/node:timer(100ms)'; did "
      "you "
      "mean '/lidar:**'?",
      "s.yaml:7:40: pattern '/a/*' can match nothing, ids look like '/node:timer(100ms)'; did you "
      "mean '/a/*:**'?",
      "s.yaml:7:63: pattern '/a:t*)*' can match nothing, ids look like '/node:timer(100ms)'"}));
  EXPECT_EQ(
    faults(with_main("threads: {t: }\ndefault: t\ngroups:\n  - {match: \"/a:timer(*)\"}")),
    Strings{"s.yaml:7:9: '/a:timer(*)' is not a callback group; their ids look like "
            "'/node:group(name)'"});
}

TEST(Parse, ThreadWordsAreSpelledAsPrintedAndEachThreadOnce)
{
  const auto with_default = [](const std::string & words) {
    return with_main("threads: {hot: {count: 2}, cold: }\ndefault: " + words);
  };
  EXPECT_EQ(
    faults(with_default("[hot.-0, hot.01, hot.+1]")),
    (Strings{
      "s.yaml:5:15: unknown thread 'hot.-0'; did you mean 'hot.0'?",
      "s.yaml:5:23: unknown thread 'hot.01'; did you mean 'hot.0'?",
      "s.yaml:5:31: unknown thread 'hot.+1'; did you mean 'hot.1'?"}));
  EXPECT_EQ(
    faults(with_default("[hot, cold, hot]")), Strings{"s.yaml:5:26: 'hot' is listed twice"});
  EXPECT_EQ(
    faults(with_default("[hot.1, hot]")),
    Strings{"s.yaml:5:22: 'hot' shares threads with 'hot.1', which is listed already; omit one"});
  EXPECT_EQ(faults(with_default("[hot.0, hot.1]")), Strings{});
}

TEST(Parse, SizesAndDurationsHaveAnEnd)
{
  EXPECT_EQ(
    faults(with_thread("stack: 4000000GiB")), Strings{"s.yaml:4:26: stack must be at most 1GiB"});
  EXPECT_EQ(faults(with_thread("stack: 1GiB")), Strings{});
  EXPECT_EQ(
    faults(with_rule("{match: \"**\", offset: 9000000000s, deadline: 9223372036854775807ns}")),
    (Strings{
      "s.yaml:7:31: offset: '9000000000s' is longer than 365 days",
      "s.yaml:7:54: deadline: '9223372036854775807ns' is longer than 365 days"}));
}

TEST(Parse, AFixedCeilingIsNotBelowThreads)
{
  const auto with_ceiling = [](const std::string & ceiling) {
    return with_main(
      "middleware_ceiling: " + ceiling +
      "\nthreads: {a: {}, b: {policy: rr, priority: 80}}\ndefault: all");
  };
  EXPECT_EQ(
    faults(with_ceiling("79")),
    Strings{
      "s.yaml:4:25: middleware_ceiling 79 is below priority 80 of threads 'b'; use auto, or at "
      "least 80"});
  EXPECT_EQ(faults(with_ceiling("80")), Strings{});
}

TEST(Parse, CoresInAnotherNotationAreAFaultThatSaysWhatToWrite)
{
  EXPECT_EQ(
    faults(with_thread("cores: 0-1")), Strings{"s.yaml:4:26: cores cannot be '0-1'; write [0, 1]"});
  EXPECT_EQ(
    faults(with_thread("cores: \"0,2-3\"")),
    Strings{"s.yaml:4:26: cores cannot be '0,2-3'; write [0, 2, 3]"});
  EXPECT_EQ(
    faults(with_thread("cores: -1")),
    Strings{"s.yaml:4:26: cores must be a whole number from 0 to 4095, not '-1'"});
  EXPECT_EQ(
    faults(with_thread("cores: 4096")),
    Strings{"s.yaml:4:26: cores must be a whole number from 0 to 4095, not '4096'"});
}

TEST(Parse, PolicyAndNiceAreInheritedUnlessGiven)
{
  const Threads bare = parse(with_thread("count: 2")).executors[0].threads[0];
  EXPECT_EQ(bare.attributes.policy, takt_rt::Policy::inherit);
  EXPECT_FALSE(bare.attributes.nice);
  const Threads nice = parse(with_thread("nice: 0")).executors[0].threads[0];
  EXPECT_EQ(nice.attributes.policy, takt_rt::Policy::inherit);
  EXPECT_EQ(nice.attributes.nice, 0);
  const Threads other = parse(with_thread("policy: other")).executors[0].threads[0];
  EXPECT_EQ(other.attributes.policy, takt_rt::Policy::other);
  EXPECT_FALSE(other.attributes.nice);
}

TEST(Parse, EverythingIsReportedAtOnceSortedByLine)
{
  const Strings found = faults(
    "version: 1\nstrct: true\nexecutors:\n  a: {threads: {t: {cores: [9]}}, default: u}\n"
    "  b: {order: edff, threads: {t: {nice: x}}, default: t}\nchains:\n  c: {path: []}\n");
  ASSERT_EQ(found.size(), 6U);
  int before = 0;
  for (const std::string & fault : found) {
    const int line = std::stoi(fault.substr(7));
    EXPECT_GE(line, before) << fault;
    before = line;
  }
}

}  // namespace
}  // namespace takt_schedule
