#include "takt_schedule/make_executor.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "schedule_text.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/fallback.hpp"
#include "takt_schedule/resolver.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Policy;
using test::parse;
using test::Strings;
using test::with_main;
using namespace std::chrono_literals;

TEST(ThreadNames, AreNumberedInFileOrder)
{
  const Schedule schedule =
    parse(with_main("threads: {b: {count: 2}, a: {}, c: {count: 2}}\ndefault: all"));
  const ThreadNames names(schedule.executors[0]);
  EXPECT_EQ(names.names(), (Strings{"b.0", "b.1", "a", "c.0", "c.1"}));
  EXPECT_EQ(names.find("b"), 0b00011U);
  EXPECT_EQ(names.find("a"), 0b00100U);
  EXPECT_EQ(names.find("a.0"), 0b00100U) << "a count may shrink to one without changing rules";
  EXPECT_EQ(names.find("c.1"), 0b10000U);
  EXPECT_EQ(names.find("all"), 0b11111U);
  for (const char * unknown : {"d", "b.2", "b.", "b.x", "b.-1", "b.0x", "", "al"}) {
    EXPECT_FALSE(names.find(unknown)) << unknown;
  }
  EXPECT_EQ(names.words(0b11111), Strings{"all"});
  EXPECT_EQ(names.words(0b00111), (Strings{"b", "a"}));
  EXPECT_EQ(names.words(0b10010), (Strings{"b.1", "c.1"}));
}

TEST(ThreadNames, CountUpToTheLastThreadOfTheCore)
{
  const Schedule schedule = parse(with_main("threads: {a: {count: 63}}\ndefault: all"));
  const ThreadNames names(schedule.executors[0]);
  EXPECT_EQ(names.all(), (takt_core::ThreadMask{1} << 63U) - 1);
  EXPECT_EQ(names.find("a.62"), takt_core::ThreadMask{1} << 62U);
}

TEST(ExecutorOptions, ThreadsSpreadOverTheCoresOfTheProcessIfNoneAreListed)
{
  const Schedule schedule = parse(with_main("threads: {s: {count: 40, spread: true}}\ndefault: s"));
  const takt_core::ExecutorOptions options = core_options(schedule.executors[0]);
  const std::vector<int> usable = takt_rt::usable_cores();
  for (std::size_t i = 0; i < options.threads.size(); ++i) {
    EXPECT_EQ(options.threads[i].attributes.cores, std::vector{usable[i % usable.size()]});
  }
}

TEST(ExecutorOptions, HavePhasesWhereARuleGivesAnOffset)
{
  const auto options = [](const std::string & file, const std::string & rule) {
    return core_options(parse(
                          file +
                          "version: 1\nexecutors: {main: {threads: {t: }, default: t, callbacks: "
                          "[{match: '/a:timer(1s)'" +
                          rule + "}]}}")
                          .executors[0]);
  };
  EXPECT_FALSE(options("settles: 3s\n", "").phases);
  ASSERT_TRUE(options("", ", offset: 10ms").phases);
  EXPECT_FALSE(options("", ", offset: 10ms").phases->settles);
  EXPECT_EQ(options("settles: 3s\n", ", offset: 10ms").phases->settles, std::chrono::seconds(3));
}

TEST(ExecutorOptions, FlattenThreadsNameThemAndSpreadCores)
{
  const Schedule schedule =
    parse(with_main("order: edf\nepoch: host\non_exception: report\nmissing_rights: "
                    "report\nmiddleware_ceiling: 17\n"
                    "lock_memory: true\n"
                    "threads:\n  s: {count: 3, cores: [2, 0], spread: true}\n"
                    "  n: {count: 2, cores: [1, 3], stack: 1MiB}\n"
                    "  f: {policy: fifo, priority: 9, follow: true}\ndefault: s"));
  const takt_core::ExecutorOptions options = core_options(schedule.executors[0]);
  EXPECT_EQ(options.name, "main");
  EXPECT_EQ(options.order, takt_core::Order::edf);
  EXPECT_EQ(options.epoch, takt_core::Epoch::host);
  EXPECT_EQ(options.on_exception, takt_core::ExceptionPolicy::report);
  EXPECT_EQ(options.missing_rights, takt_core::MissingRights::report);
  EXPECT_EQ(options.middleware_ceiling.priority, 17);
  EXPECT_TRUE(options.lock_memory);
  ASSERT_EQ(options.threads.size(), 6U);
  const auto cores = [&](std::size_t i) { return options.threads[i].attributes.cores; };
  EXPECT_EQ(cores(0), std::vector{2});
  EXPECT_EQ(cores(1), std::vector{0});
  EXPECT_EQ(cores(2), std::vector{2});
  EXPECT_EQ(cores(3), (std::vector{1, 3}));
  EXPECT_EQ(options.threads[2].attributes.name, "s.2");
  EXPECT_EQ(options.threads[5].attributes.name, "f");
  EXPECT_EQ(options.threads[4].attributes.stack_size, 1U << 20U);
  EXPECT_TRUE(options.threads[5].follow);
}

const char * const kWithFallback =
  "missing_rights: report\nthreads:\n  hot: {policy: fifo, priority: 80, cores: [0], follow: true, "
  "fallback: {nice: -3}}\n  cold: {policy: rr, priority: 10}\n  low: {nice: 4}\ndefault: low\n"
  "callbacks:\n  - {match: /a:w(0), threads: [hot, cold], priority: 3}";

TEST(Fallback, ReplacesOnlyWhatHasOneAndIsNotAllowed)
{
  const ExecutorSchedule executor = parse(with_main(kWithFallback)).executors[0];
  const WithFallbacks fallen = with_fallbacks(executor, false);
  EXPECT_EQ(
    sentences(fallen.used),
    Strings{"executor 'main': this process has no right to policy fifo 80, so threads "
            "'hot' ask for their "
            "fallback, nice -3"});
  EXPECT_EQ(fallen.used.front().kind, takt_rt::FaultKind::fallback);
  const takt_rt::ThreadAttributes & hot = fallen.executor.threads[0].attributes;
  EXPECT_EQ(hot.policy, Policy::other);
  EXPECT_EQ(hot.priority, 0);
  EXPECT_EQ(hot.nice, -3);
  EXPECT_EQ(hot.cores, std::vector{0});
  EXPECT_FALSE(fallen.executor.threads[0].follow);
  EXPECT_EQ(fallen.executor.threads[1], executor.threads[1]);
  EXPECT_EQ(with_fallbacks(executor, true).executor, executor);
  EXPECT_TRUE(with_fallbacks(executor, true).used.empty());
}

TEST(Fallback, IsJudgedByTheAttributesOfEachEntry)
{
  const ExecutorSchedule executor =
    parse(
      with_main(
        "missing_rights: report\nthreads:\n  a: {policy: fifo, priority: 80, fallback: {nice: 0}}\n"
        "  b: {policy: fifo, priority: 20, fallback: {nice: 0}}\ndefault: all"))
      .executors[0];
  const WithFallbacks fallen =
    with_fallbacks(executor, [](const takt_rt::ThreadAttributes & a) { return a.priority <= 50; });
  EXPECT_EQ(fallen.executor.threads[0].attributes.policy, Policy::other);
  EXPECT_EQ(fallen.executor.threads[1].attributes.policy, Policy::fifo);
}

TEST(Fallback, IsNotUsedUnderFail)
{
  ExecutorSchedule executor = parse(with_main(kWithFallback)).executors[0];
  executor.missing_rights = takt_core::MissingRights::fail;
  EXPECT_EQ(with_fallbacks(executor, false).executor, executor);
}

TEST(Fallback, OrdinaryThreadsNeedNoRight)
{
  EXPECT_TRUE(may_use({}));
}

class Counting : public takt_core::Callback
{
public:
  Counting(takt_core::CallbackOptions options, std::atomic<int> & runs)
  : Callback(std::move(options)),
    runs_(runs)
  {
  }
  void run(const takt_core::Run &) override { ++runs_; }

private:
  std::atomic<int> & runs_;
};

TEST(MakeExecutor, RunsCallbacksWhereTheScheduleSays)
{
  const Schedule schedule = parse(
    with_main("order: priority\nthreads: {a: {}, b: {}}\ndefault: a\ncallbacks:\n"
              "  - {match: \"/n:waitable(*)\", threads: b, deadline: 3ms}") +
    "chains:\n  c: {path: [\"/n:waitable(x)\"], priority: 42, deadline: 9ms}\n");
  auto executor = make_executor(schedule, "main");
  ASSERT_TRUE(executor.ok()) << executor.faults().front();
  auto resolver = Resolver::create(schedule, "main");
  ASSERT_TRUE(resolver.ok());
  const auto resolved = resolver->resolve("/n:waitable(x)", takt_core::Kind::waitable);
  ASSERT_TRUE(resolved.ok());

  std::atomic<int> runs{0};
  takt_core::CallbackOptions options;
  options.id = "/n:waitable(x)";
  const auto callback = std::make_shared<Counting>(options, runs);
  takt_core::Executor & e = *executor.value();
  const takt_rt::Status added = e.add(callback, resolved.value().binding);
  ASSERT_TRUE(added.ok()) << added.faults().front();
  EXPECT_EQ(e.scheduler().threads(*callback), 0b10U);
  EXPECT_EQ(e.scheduler().priority(*callback), 42) << "inherited from the chain";
  EXPECT_EQ(e.scheduler().binding(*callback)->deadline, 3ms);
  ASSERT_EQ(e.scheduler().chains().size(), 1U);
  e.ready(*callback);
  EXPECT_TRUE(e.spin_some().ok());
  EXPECT_EQ(runs, 1);
}

TEST(MakeExecutor, UsesFallbacksAndTellsSo)
{
  // The rights of the user decide whether priority 99 is granted; the executor exists in both
  // cases.
  const Schedule schedule =
    parse(with_main("missing_rights: report\n"
                    "threads: {a: {policy: fifo, priority: 99, fallback: {nice: 0}}}\ndefault: a"));
  takt_rt::Faults notes;
  const auto executor = make_executor(schedule, "main", &notes);
  ASSERT_TRUE(executor.ok());
  const bool allowed = takt_rt::may_use_realtime(99);
  EXPECT_EQ(notes.size(), allowed ? 0U : 1U);
  EXPECT_EQ(
    executor.value()->options().threads[0].attributes.policy,
    allowed ? Policy::fifo : Policy::other);
}

TEST(MakeExecutor, OfAnUnknownNameIsAFault)
{
  EXPECT_EQ(
    sentences(make_executor(parse(with_main("threads: {a: {}}\ndefault: a")), "other").faults()),
    Strings{"s.yaml:3:3: no executor 'other'; there is only 'main'"});
}

TEST(MakeExecutor, FaultsOfTheCoreNameTheExecutorsLine)
{
  // Parsed for a machine with more cores than this one will ever have.
  const Schedule schedule =
    parse(with_main("threads: {a: {cores: [4000]}}\ndefault: a"), test::machine(4001));
  const Strings found = sentences(make_executor(schedule, "main").faults());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("s.yaml:3:3: ")) << found[0];
}

}  // namespace
}  // namespace takt_schedule
