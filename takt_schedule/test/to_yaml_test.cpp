#include "takt_schedule/to_yaml.hpp"

#include <gtest/gtest.h>

#include <random>

#include "docs_example.hpp"
#include "schedule_text.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_schedule
{
namespace
{

using namespace std::chrono_literals;
using takt_rt::Duration;
using takt_rt::Policy;

TEST(ToYaml, WritesTheSmallestScheduleInFull)
{
  Schedule schedule;
  schedule.executors.emplace_back();
  schedule.executors[0].name = "main";
  schedule.executors[0].threads.emplace_back();
  schedule.executors[0].threads[0].name = "t";
  schedule.executors[0].default_threads = {"t"};
  EXPECT_EQ(
    to_yaml(schedule),
    "# A takt schedule; takt check FILE checks it (--core-count N: for a machine that has so "
    "many).\n"
    "version: 1\n"
    "\n"
    "executors:\n"
    "  main:\n"
    "    order: fifo\n"
    "    threads:\n"
    "      t: {}\n"
    "    default: t  # for callbacks that no rule matches\n");
}

TEST(ToYaml, PutsCommentsAboveWhatTheyAreAbout)
{
  Schedule schedule = test::parse(test::docs_example("valid"));
  schedule.executors[0].threads[0].source.comment = "needs two:\r\nsee the proof\x01";
  schedule.executors[0].callbacks[0].source.comment = "# response time 12ms";
  schedule.chains[0].source.comment = "slack 3ms";
  const std::string text = to_yaml(schedule, "written by a test\n\nfor a test");
  EXPECT_TRUE(text.starts_with("# written by a test\n#\n# for a test\n# A takt schedule")) << text;
  EXPECT_NE(
    text.find("      # needs two:\n      #\n      # see the proof \n      hot:"), text.npos);
  EXPECT_NE(text.find("      # # response time 12ms\n      - match:"), text.npos) << text;
  EXPECT_NE(text.find("  # slack 3ms\n  hot_path:"), text.npos) << text;
  EXPECT_EQ(test::parse(text), schedule);
}

TEST(ToYaml, QuotesWhatYamlWouldReadAsSomethingElse)
{
  Schedule schedule = test::parse(
    "version: 1\nexecutors:\n  \"null\":\n    threads: {\"off\": {}, \"7\": {}, \"-x\": {}}\n"
    "    default: [\"7\", \"off\", \"-x\"]\n    callbacks:\n"
    "      - match: [\"/q\\\"uote\\\\:sub(#)\", \"/a:b(c: d)\", \"**\"]\n");
  EXPECT_EQ(test::parse(to_yaml(schedule)), schedule) << to_yaml(schedule);
}

TEST(ToYaml, WritesAnEpochOfAllExecutorsOnce)
{
  const std::string text =
    to_yaml(test::parse("version: 1\nepoch: host\nexecutors:\n  a: {threads: {t: }, default: t}\n"
                        "  b: {threads: {t: }, default: t}\n"));
  EXPECT_NE(text.find("\nepoch: host\n"), text.npos) << text;
  EXPECT_EQ(text.find("    epoch:"), text.npos) << text;
}

TEST(ToYaml, SaysWhatOffsetsCountFromIfThereAreOffsets)
{
  const std::string text = to_yaml(
    test::parse("version: 1\nepoch: host\nexecutors:\n  a: {threads: {t: }, default: t, callbacks: "
                "[{match: \"/a:timer(9ms)\", offset: 1ms}]}\n"));
  EXPECT_NE(text.find("\nepoch: host  # offsets count on the host's clock"), text.npos) << text;
}

// ---- property: the parser reads the same schedule from the text that to_yaml writes ----

class Generator
{
public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Schedule schedule()
  {
    Schedule schedule;
    schedule.strict = coin();
    const char * const names[] = {"main", "a/b.c", "null"};
    for (std::size_t i = 0; i <= pick(2); ++i) {
      schedule.executors.push_back(executor(names[i]));
    }
    if (coin()) {
      const Duration settles = duration();
      for (ExecutorSchedule & one : schedule.executors) {
        one.settles = settles;
      }
    }
    for (std::size_t i = pick(3); i > 0; --i) {
      schedule.chains.push_back(chain("chain" + std::to_string(i)));
    }
    if (coin()) {
      schedule.watch.period = 1ms * (1 + pick(9999));
      schedule.watch.on_alarm = actions(nullptr, false);
    }
    return schedule;
  }

private:
  std::size_t pick(std::size_t most) { return random_() % (most + 1); }
  bool coin() { return pick(1) == 1; }
  Duration duration()
  {
    return Duration{static_cast<std::int64_t>(random_() >> (1 + pick(30))) + 1};
  }
  std::string comment() { return coin() ? "why: \"[{ &a *b" : ""; }

  std::vector<int> cores()
  {
    return coin() ? std::vector<int>{} : coin() ? std::vector{3, 1} : std::vector{0, 1, 2};
  }

  takt_rt::ThreadAttributes attributes()
  {
    takt_rt::ThreadAttributes a;
    a.policy = static_cast<Policy>(pick(6));
    if (takt_rt::has_rt_priority(a.policy)) {
      a.priority = 1 + static_cast<int>(pick(98));
    } else if (takt_rt::has_nice(a.policy) && coin()) {
      a.nice = static_cast<int>(pick(39)) - 20;
    } else if (a.policy == Policy::deadline) {
      a.runtime = 1ms + Duration{static_cast<std::int64_t>(pick(1000))};
      a.deadline = a.runtime + 3us;
      a.period = 100ms;
    }
    if (a.policy != Policy::deadline) {
      a.cores = cores();
    }
    return a;
  }

  ExecutorSchedule executor(std::string name)
  {
    ExecutorSchedule e;
    e.name = std::move(name);
    e.source.comment = comment();
    e.order = static_cast<takt_core::Order>(pick(4));
    if (takt_core::has_windows(e.order) && coin()) {
      e.window_timers = takt_core::WindowTimers::immediate;
    }
    e.epoch.from = static_cast<takt_core::Epoch>(pick(2));
    if (e.epoch.from == takt_core::Epoch::tai) {
      e.epoch.uncertainty = 1us * pick(9);
    }
    e.on_exception = static_cast<takt_core::ExceptionPolicy>(pick(1));
    e.missing_rights = static_cast<takt_core::MissingRights>(pick(1));
    e.middleware_ceiling.mode = static_cast<takt_core::MiddlewareCeiling::Mode>(pick(2));
    if (e.middleware_ceiling.mode == takt_core::MiddlewareCeiling::Mode::fixed) {
      e.middleware_ceiling.priority = 99;  // not below any thread
    }
    e.lock_memory = coin();
    for (std::size_t i = 0; i <= pick(3); ++i) {
      e.threads.push_back(threads("t" + std::to_string(i)));
    }
    e.default_threads = {e.threads[0].name};
    for (std::size_t i = pick(5); i > 0; --i) {
      e.callbacks.push_back(rule(e, i));
    }
    for (std::size_t i = pick(2); i > 0; --i) {
      GroupRule group{{"/g" + std::to_string(i) + "**"}, coin(), {}, {}, {}, {0, 0, comment()}};
      if (coin()) {
        group.logical_time =
          coin() ? takt_core::LateOutputs::publish : takt_core::LateOutputs::drop;
      } else if (coin()) {
        group.when.emplace().count = static_cast<std::uint32_t>(pick(3));
        if (coin()) {
          group.when->fresh = duration();
        }
      }
      if (coin()) {
        Threads own = threads({});
        own.spread = own.follow = false;
        group.isolate = own;
      }
      e.groups.push_back(std::move(group));
    }
    // Ids that no rule matches: their threads are the default ones.
    for (std::size_t i = takt_core::has_windows(e.order) ? 0 : pick(2); i > 0; --i) {
      const std::string n = std::to_string(i);
      e.sequences.push_back(
        {{"/s" + n + ":timer(10ms)", "/s" + n + ":sub(/x)", "/s" + n + ":sub(/y)"},
         {0, 0, comment()},
         {},
         coin()});
    }
    for (std::size_t i = pick(2); i > 0; --i) {
      e.process_threads.push_back(
        {{"dds" + std::to_string(i) + "*", "x y" + std::to_string(i)}, attributes(), {}});
    }
    return e;
  }

  Threads threads(std::string name)
  {
    Threads t;
    t.name = std::move(name);
    t.count = 1 + static_cast<int>(pick(3));
    t.attributes = attributes();
    t.attributes.stack_size = coin() ? 0 : 65536 + pick(1U << 20U);
    t.spread = t.attributes.policy != takt_rt::Policy::deadline && coin();
    t.follow = t.attributes.policy == Policy::fifo && coin();
    if (takt_rt::has_rt_priority(t.attributes.policy) && coin()) {
      t.fallback = Fallback{static_cast<int>(pick(39)) - 20};
    }
    t.source.comment = comment();
    return t;
  }

  CallbackRule rule(const ExecutorSchedule & e, std::size_t number)
  {
    CallbackRule r;
    const std::string n = std::to_string(number);
    const std::string kind = coin() ? ":timer(" : ":sub(";
    r.match = {"/n" + n + kind + "*)"};
    if (coin()) {
      r.match.push_back("/exact" + std::to_string(exact_++) + n + kind + "100ms)#2");
    }
    if (kind == ":sub(") {
      watch_messages(r);
    }
    if (coin() && !takt_core::has_windows(e.order)) {
      r.threads = coin() ? std::vector<std::string>{"all"}
                         : std::vector<std::string>{e.threads[0].name + ".0"};
    }
    if (coin()) {
      r.priority = 1;  // fits every following pool
    }
    if (coin()) {
      r.deadline = duration();
      r.publishes_last = coin();
      r.never_settles = coin();
    }
    if (kind == ":timer(" && coin()) {
      r.missed_periods = static_cast<takt_core::MissedPeriods>(pick(2));
      r.offset = duration();
    }
    if (coin()) {
      r.watch.budget = duration();
      r.watch.stall = duration();
      r.watch.misses = misses();
      r.watch.on_alarm = actions(&e, true);
    }
    if (kind == ":sub(" && coin()) {
      do_not_trigger(r);
    }
    r.source.comment = comment();
    return r;
  }

  void do_not_trigger(CallbackRule & r)
  {
    r.threads.clear();
    r.priority.reset();
    r.boost.reset();
    r.publishes_last = false;
    NonTriggeringRule & taken = r.non_triggering.emplace();
    if (coin()) {
      taken.with = {"/n0:sub(*)"};
    }
    if (coin()) {
      taken.with.push_back("/m:timer(10ms)");
      taken.max_age = duration();
    }
    taken.keep = static_cast<std::uint32_t>(pick(3));
  }

  double number(double most)
  {
    const double value = most * static_cast<double>(1 + pick(1U << 30U)) / (1 + (1U << 30U));
    return coin() ? value : value / 1e9;
  }

  void watch_messages(CallbackRule & r)
  {
    if (coin()) {
      BacklogRule & backlog = r.watch.backlog.emplace();
      for (const std::size_t threshold : {pick(3), pick(3)}) {
        switch (threshold) {
          case 0:
            backlog.messages = 1 + static_cast<std::uint32_t>(pick(100));
            break;
          case 1:
            backlog.depth = number(1.0);
            break;
          case 2:
            backlog.age = duration();
            break;
          default:
            backlog.rate = number(1000.0);
            break;
        }
      }
      backlog.release = coin() ? 0.5 : number(1.0);
      backlog.hold = coin() ? 0ns : duration();
    }
    if (coin()) {
      takt_core::Boost & boost = r.boost.emplace();
      boost.depth = coin() ? number(1.0) : 0.0;
      boost.age = boost.depth == 0.0 ? duration() : 0ns;
      boost.levels = 1 + static_cast<int>(pick(254));
      boost.max = 1 + static_cast<int>(pick(254));
    }
  }

  std::optional<MissRule> misses()
  {
    if (coin()) {
      return std::nullopt;
    }
    const auto most = static_cast<std::uint32_t>(pick(998));
    return MissRule{most, most + 1 + static_cast<std::uint32_t>(pick(998 - most))};
  }

  /// Actions for a rule of `e`; nullptr: for a chain or the file.
  std::vector<AlarmAction> actions(const ExecutorSchedule * e, bool has_priority)
  {
    using Kind = AlarmAction::Kind;
    std::vector<AlarmAction> all;
    for (const Kind kind : {Kind::log, Kind::publish, Kind::snapshot, Kind::ask}) {
      if (pick(3) == 0) {
        all.push_back({kind});
      }
    }
    for (std::size_t i = pick(2); i > 0; --i) {
      all.push_back({Kind::run, "", {"/bin/a b", coin() ? "\"{[\n" : "yes", "\xc3\xa4"}});
    }
    const char * const values[] = {"5", "-1.5e3", "\"5\"", "true", "slow", "[1, \"a: b\", x]"};
    for (std::size_t i = pick(2); i > 0; --i) {
      all.push_back({Kind::set_parameter, "/a/n", {"p.q"}, values[pick(5)]});
    }
    if (has_priority && coin()) {
      all.push_back({Kind::priority, "", {}, "", 1});  // fits every following pool
    }
    if (e == nullptr) {
      return all;
    }
    if (coin() && !takt_core::has_windows(e->order)) {
      all.push_back({Kind::threads, "", {e->threads[0].name + ".0"}});
    }
    const Threads & thread = e->threads[pick(e->threads.size() - 1)];
    if (takt_rt::has_rt_priority(thread.attributes.policy)) {
      all.push_back({Kind::thread_priority, thread.name, {}, "", 1 + static_cast<int>(pick(98))});
    } else if (takt_rt::has_nice(thread.attributes.policy)) {
      all.push_back({Kind::thread_nice, thread.name, {}, "", static_cast<int>(pick(39)) - 20});
    }
    return all;
  }

  ChainSchedule chain(std::string name)
  {
    ChainSchedule c;
    c.options.name = std::move(name);
    for (std::size_t i = 0; i <= pick(4); ++i) {
      c.options.path.push_back("/c" + std::to_string(i) + ":sub(/t)");
    }
    c.options.priority = static_cast<int>(pick(255));
    if (coin()) {
      c.options.deadline = duration();
      c.options.period = duration();
    }
    if (coin()) {
      c.watch = {misses(), actions(nullptr, true), actions(nullptr, true)};
    }
    c.source.comment = comment();
    return c;
  }

  std::mt19937 random_;
  int exact_ = 0;  // no two executors may claim the same id
};

TEST(ToYaml, OfAnySchedulesIsReadBackToAnEqualOne)
{
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    const Schedule schedule = Generator(seed).schedule();
    const std::string text = to_yaml(schedule);
    const auto again = parse_schedule(text, "s.yaml", test::machine());
    ASSERT_TRUE(again.ok()) << again.faults().front() << "\n" << text;
    ASSERT_EQ(again.value(), schedule) << text;
    Schedule bare = again.value();
    ASSERT_EQ(to_yaml(bare), to_yaml(parse_schedule(to_yaml(bare), "", test::machine()).value()));
  }
}

TEST(ToYaml, EqualityNoticesEveryKindOfDifference)
{
  const Schedule one = test::parse(test::docs_example("valid"));
  const auto differs = [&](auto change) {
    Schedule other = one;
    change(other);
    return !(other == one) && to_yaml(other) != to_yaml(one);
  };
  EXPECT_TRUE(differs([](Schedule & s) { s.strict = true; }));
  EXPECT_TRUE(differs([](Schedule & s) {
    s.executors[0].middleware_ceiling = {takt_core::MiddlewareCeiling::Mode::fixed, 93};
  }));
  EXPECT_TRUE(differs([](Schedule & s) { s.executors[0].threads[0].attributes.priority = 3; }));
  EXPECT_TRUE(differs([](Schedule & s) { s.executors[0].threads[0].fallback.reset(); }));
  EXPECT_TRUE(differs([](Schedule & s) { s.executors[0].callbacks[0].watch.budget = 9ms; }));
  EXPECT_TRUE(differs([](Schedule & s) { s.executors[0].callbacks[1].boost->levels = 9; }));
  EXPECT_TRUE(differs([](Schedule & s) { s.chains[0].watch.fail_safe.pop_back(); }));
  EXPECT_TRUE(differs([](Schedule & s) { s.watch.period = 9ms; }));
  EXPECT_TRUE(differs([](Schedule & s) { s.chains[0].options.period = 1s; }));
  EXPECT_TRUE(differs([](Schedule & s) { s.chains[0].options.path.pop_back(); }));
  Schedule moved = one;
  moved.executors[0].source.line = 99;
  EXPECT_EQ(moved, one) << "where it is written does not count";
}

TEST(SystemToYaml, WhatIsWrittenIsReadBackAsTheSame)
{
  for (const std::string & text :
       {test::docs_example("valid", "system.md"),
        std::string(
          "version: 1\nhosts:\n  a: {cores: [1, 3], overheads: {dispatch: 3us}}\n"
          "  b: {cores: 1, priorities: {least: 5, most: 6}}\ncommunication: {hosts: 1ms}\n"
          "callbacks:\n"
          "  - {id: \"/t:timer(1s)\", host: a, time: 0s, period: 1s, publishes: [/x, /y]}\n"
          "  - {id: [\"/f:sub(/x)\", \"/f:sub(/y)\"], host: b, executor: e/2, time: {worst: 5us, "
          "best: 1us}, triggers: [/x, /y], trigger: newest, depth: 1}\n"
          "  - {id: \"/o:sub(/z)\", host: b, executor: e/2, time: 1ms, period: 5ms, jitter: "
          "1us}\n")}) {
    const auto system = parse_system(text, "s.yaml");
    ASSERT_TRUE(system.ok()) << system.faults().front();
    const std::string written = to_yaml(*system, "A header.");
    const auto again = parse_system(written, "s.yaml");
    ASSERT_TRUE(again.ok()) << again.faults().front() << "\n" << written;
    EXPECT_EQ(again->callbacks, system->callbacks) << written;
    EXPECT_EQ(again->hosts, system->hosts) << written;
    EXPECT_EQ(again->groups, system->groups) << written;
    EXPECT_EQ(again->chains, system->chains) << written;
    EXPECT_EQ(again->communication, system->communication) << written;
    EXPECT_EQ(to_yaml(*again, "A header."), written);
    EXPECT_EQ(written.rfind("# A header.\n", 0), 0U);
  }
}

}  // namespace
}  // namespace takt_schedule
