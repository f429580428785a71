#include "takt_schedule/apply_schedule.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "schedule_text.hpp"
#include "takt_core/group.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_schedule
{
namespace
{

using takt_core::Kind;
using takt_rt::Policy;
using test::parse;
using test::with_main;

class Nothing : public takt_core::Callback
{
public:
  using Callback::Callback;
  void run(const takt_core::Run &) override {}
};

// An executor as in a program: made from one text, spinning, with callbacks in groups of their own.
class Running
{
public:
  explicit Running(const std::string & text) : schedule_(parse(text))
  {
    executor = std::move(make_executor(schedule_, "main").value());
    auto resolver = Resolver::create(schedule_, "main");
    for (const char * const id : {"/a:timer(1s)", "/a:sub(/x)", "/b:sub(/y)"}) {
      takt_core::CallbackOptions options;
      options.id = id;
      options.kind = Kind::subscription;
      callbacks[id] = std::make_shared<Nothing>(options);
      EXPECT_TRUE(
        executor->add(callbacks[id], resolver->resolve(id, Kind::subscription)->binding).ok());
    }
    EXPECT_TRUE(executor->start().ok());
  }
  ~Running()
  {
    executor->cancel();
    executor->wait();
  }
  Running(const Running &) = delete;
  Running & operator=(const Running &) = delete;

  takt_core::Binding binding(const std::string & id)
  {
    return *executor->scheduler().binding(*callbacks.at(id));
  }

  std::unique_ptr<takt_core::Executor> executor;
  std::map<std::string, std::shared_ptr<Nothing>> callbacks;

private:
  const Schedule schedule_;
};

std::map<std::string, std::string> outcomes(const std::vector<AppliedPart> & parts)
{
  std::map<std::string, std::string> result;
  for (const AppliedPart & part : parts) {
    result[part.what] = std::string(to_string(part.outcome));
  }
  return result;
}

const std::string kThreads = "threads: {hot: {nice: 1}, rest: {}}\ndefault: rest\n";

TEST(ApplySchedule, ChangesWhatDiffersAndSaysSo)
{
  Running running(with_main(kThreads + "callbacks:\n  - {match: \"/a:sub(/x)\", threads: hot}"));
  const Schedule next = parse(
    with_main("threads: {hot: {nice: 2}, rest: {}}\ndefault: rest\nmissing_rights: report\n"
              "callbacks:\n  - {match: \"/b:sub(/y)\", threads: hot, priority: 7, deadline: 5ms}\n"
              "  - {match: \"/c:sub(/z)\", threads: hot}") +
    "chains:\n  c: {path: [\"/a:timer(1s)\", \"/a:sub(/x)\"], priority: 9}\n");
  const auto checked = check_schedule(next, "main", *running.executor);
  ASSERT_TRUE(checked.ok()) << checked.faults().front();
  EXPECT_EQ(running.binding("/a:sub(/x)").threads, 1U) << "nothing is changed by a check";
  const auto done = apply_schedule(next, "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  EXPECT_EQ(outcomes(*checked), outcomes(*done));
  auto told = outcomes(*done);
  EXPECT_EQ(told["callback /a:sub(/x)"], "applied");
  EXPECT_EQ(told["callback /b:sub(/y)"], "applied");
  EXPECT_EQ(told["callback /a:timer(1s)"], "unchanged");
  EXPECT_EQ(told["chain c"], "applied");
  EXPECT_EQ(told["thread hot"], "applied");
  EXPECT_EQ(told["thread rest"], "unchanged");
  EXPECT_EQ(told["missing_rights"], "skipped");
  EXPECT_EQ(told["rule"], "skipped");
  EXPECT_EQ(running.binding("/a:sub(/x)").threads, 2U);
  EXPECT_EQ(running.binding("/b:sub(/y)").threads, 1U);
  EXPECT_EQ(running.binding("/b:sub(/y)").priority, 7);
  EXPECT_EQ(running.binding("/b:sub(/y)").deadline, std::chrono::milliseconds(5));
  EXPECT_EQ(running.executor->scheduler().priority(*running.callbacks.at("/a:timer(1s)")), 9);
  EXPECT_EQ(takt_rt::read_attributes(running.executor->thread_ids()[0]).nice, 2);

  const auto again = apply_schedule(next, "main", *running.executor);
  ASSERT_TRUE(again.ok());
  told = outcomes(*again);
  EXPECT_EQ(told["callback /b:sub(/y)"], "unchanged");
  EXPECT_EQ(told["thread hot"], "unchanged");
  EXPECT_EQ(told["chain c"], "unchanged");
}

TEST(ApplySchedule, KnowsSequencesByTheirCallbacks)
{
  const auto with = [](const std::string & sequences) {
    return with_main(kThreads + "sequences: " + sequences + "\n");
  };
  const std::string here = "[\"/a:sub(/x)\", \"/b:sub(/y)\"]";
  Running running(with("[" + here + "]"));
  const auto skipped = [&](const std::string & sequences) {
    const auto checked = check_schedule(parse(with(sequences)), "main", *running.executor);
    EXPECT_TRUE(checked.ok()) << sequences;
    std::vector<std::string> parts;
    for (const AppliedPart & part : *checked) {
      if (part.what.find("sequence of ") == 0 && part.outcome == AppliedPart::Outcome::skipped) {
        parts.push_back(part.what.substr(12));
      }
    }
    return parts;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(skipped("[" + here + "]"), Ids{});
  EXPECT_EQ(skipped("[[\"/c:sub(/1)\", \"/c:sub(/2)\"], " + here + "]"), Ids{});
  EXPECT_EQ(skipped("[{graph: " + here + "}]"), (Ids{"/a:sub(/x)", "/b:sub(/y)"}));
  EXPECT_EQ(skipped("[[\"/b:sub(/y)\", \"/a:sub(/x)\"]]"), (Ids{"/a:sub(/x)", "/b:sub(/y)"}));
  EXPECT_EQ(
    skipped("[[\"/a:timer(1s)\", \"/a:sub(/x)\", \"/b:sub(/y)\"]]"),
    (Ids{"/a:timer(1s)", "/a:sub(/x)", "/b:sub(/y)"}));
}

// A thread that once had a higher nice level needs the right to lower it.
bool may_lower_nice_levels()
{
  bool may = false;
  std::thread([&] {
    const auto own = static_cast<id_t>(::syscall(SYS_gettid));
    const int level = ::getpriority(PRIO_PROCESS, own);
    may = ::setpriority(PRIO_PROCESS, own, level + 1) == 0 &&
          ::setpriority(PRIO_PROCESS, own, level) == 0;
  }).join();
  return may;
}

TEST(ApplySchedule, GivesBackWhatSomebodyElseTookFromAThread)
{
  if (!may_lower_nice_levels()) {
    GTEST_SKIP() << "needs CAP_SYS_NICE or RLIMIT_NICE";
  }
  const std::string text = with_main(kThreads);
  Running running(text);
  const int before = ::getpriority(PRIO_PROCESS, 0);
  const pid_t hot = running.executor->thread_ids()[0];
  EXPECT_EQ(takt_rt::read_attributes(hot).nice, 1);
  ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(hot), 5), 0);
  const Schedule schedule = parse(text);
  const auto done = apply_schedule(schedule, "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  auto told = outcomes(*done);
  EXPECT_EQ(told["thread hot"], "applied");
  EXPECT_EQ(told["thread rest"], "unchanged");
  const auto part = std::find_if(
    done->begin(), done->end(), [](const auto & one) { return one.what == "thread hot"; });
  EXPECT_NE(part->why.find("changed by somebody else"), std::string::npos) << part->why;
  EXPECT_EQ(takt_rt::read_attributes(hot).nice, 1);
  EXPECT_EQ(takt_rt::read_attributes(running.executor->thread_ids()[1]).nice.value_or(0), before);
  EXPECT_EQ(
    outcomes(*apply_schedule(schedule, "main", *running.executor))["thread hot"], "unchanged");
}

std::shared_ptr<Nothing> callback_of(
  const std::string & id, Kind kind, const std::shared_ptr<takt_core::Group> & group)
{
  takt_core::CallbackOptions options;
  options.id = id;
  options.kind = kind;
  options.group = group;
  return std::make_shared<Nothing>(options);
}

TEST(ApplySchedule, AsksTheAdapterAboutACallbackWithoutARule)
{
  Running running(with_main(kThreads + "callbacks:\n  - {match: \"/a:sub(/x)\", threads: hot}"));
  const auto shared = std::shared_ptr<takt_core::Group>(
    running.callbacks.at("/a:sub(/x)"), &running.callbacks.at("/a:sub(/x)")->group());
  const auto follows = callback_of("/a:service(/a/get)", Kind::service, shared);
  takt_core::Binding with_group;
  with_group.threads = 1;  // the group has no rule
  with_group.priority = 3;
  ASSERT_TRUE(running.executor->add(follows, with_group).ok());
  const auto place = [&](const UnruledCallback & one) {
    takt_core::Binding binding = one.by_schedule;
    if (&one.callback == follows.get()) {
      EXPECT_EQ(one.has.priority, 3);
      binding.threads = *one.of_group;
      binding.priority = 3;
    }
    return binding;
  };

  const auto same = apply_schedule(
    parse(with_main(kThreads + "callbacks:\n  - {match: \"/a:sub(/x)\", threads: hot}")), "main",
    *running.executor, place);
  ASSERT_TRUE(same.ok()) << same.faults().front();
  EXPECT_EQ(outcomes(*same)["callback /a:service(/a/get)"], "unchanged");
  const auto moved = apply_schedule(
    parse(with_main(kThreads + "callbacks:\n  - {match: \"/a:sub(/x)\", threads: rest}")), "main",
    *running.executor, place);
  ASSERT_TRUE(moved.ok()) << moved.faults().front();
  const auto binding = *running.executor->scheduler().binding(*follows);
  EXPECT_EQ(binding.threads, 2U);
  EXPECT_EQ(binding.priority, 3);
  running.executor->remove(*follows);
}

// A subscription with delivery inside the process has two callbacks, and one rule places both.
TEST(ApplySchedule, FindsTheRuleOfACallbackByTheIdThatAStartPlacesItBy)
{
  const std::string text =
    with_main(kThreads + "callbacks:\n  - {match: \"/n:sub(/x)\", threads: hot, priority: 90}");
  Running running(text);
  takt_core::CallbackOptions options;
  options.id = "/n:waitable(/x)";
  options.chain_id = "/n:sub(/x)";
  options.kind = Kind::waitable;
  const auto within = std::make_shared<Nothing>(options);
  takt_core::Binding hot;
  hot.threads = 1;
  hot.priority = 90;
  ASSERT_TRUE(running.executor->add(within, hot).ok());
  const auto done = apply_schedule(parse(text), "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  EXPECT_EQ(outcomes(*done)["callback /n:waitable(/x)"], "unchanged");
  running.executor->remove(*within);
}

TEST(ApplySchedule, TakesAwayWhatADroppedRuleGave)
{
  const std::string a = "  - {match: \"/a:timer(1s)\", threads: hot}\n";
  Running running(with_main(
    kThreads + "callbacks:\n" + a +
    "  - {match: \"/a:sub(/x)\", threads: hot, priority: 90, deadline: 5ms}"));
  ASSERT_EQ(running.binding("/a:sub(/x)").priority, 90);
  const auto done =
    apply_schedule(parse(with_main(kThreads + "callbacks:\n" + a)), "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  EXPECT_EQ(outcomes(*done)["callback /a:sub(/x)"], "applied");
  EXPECT_EQ(running.binding("/a:sub(/x)").threads, 2U);
  EXPECT_EQ(running.binding("/a:sub(/x)").priority, std::nullopt);
  EXPECT_EQ(running.binding("/a:sub(/x)").deadline, std::nullopt);
}

TEST(ApplySchedule, GivesAndTakesBoosts)
{
  const auto with_boost = [](const std::string & boost) {
    return with_main(
      "order: priority\n" + kThreads + "callbacks:\n  - {match: \"/a:sub(/x)\"" + boost + "}\n");
  };
  Running running(with_boost(""));
  EXPECT_FALSE(running.binding("/a:sub(/x)").boost);
  const auto apply = [&](const std::string & boost) {
    const auto done = apply_schedule(parse(with_boost(boost)), "main", *running.executor);
    return done.ok() ? outcomes(*done)["callback /a:sub(/x)"] : to_string(done.faults().front());
  };
  const std::string wanted = ", boost: {per: 0.5, levels: 3, max: 90}";
  EXPECT_EQ(apply(wanted), "applied");
  takt_core::Boost boost;
  boost.depth = 0.5;
  boost.levels = 3;
  boost.max = 90;
  EXPECT_EQ(running.binding("/a:sub(/x)").boost, boost);
  EXPECT_EQ(apply(wanted), "unchanged");
  EXPECT_EQ(apply(""), "unchanged") << "a file without keys for watching leaves them alone";
  EXPECT_EQ(running.binding("/a:sub(/x)").boost, boost);
  EXPECT_EQ(apply(", stall: 1s"), "applied");
  EXPECT_FALSE(running.binding("/a:sub(/x)").boost);
}

TEST(ApplySchedule, LeavesAReentrantGroupsCallbacksWhereTheSameFileStartedThem)
{
  const std::string text =
    with_main(kThreads + "callbacks:\n  - {match: \"/r:sub(/x)\", threads: hot}");
  Running running(text);
  const auto group =
    std::make_shared<takt_core::Group>(takt_core::GroupKind::reentrant, "/r:group(1)");
  takt_core::Binding hot;
  hot.threads = 1;
  takt_core::Binding rest;
  rest.threads = 2;
  const auto ruled = callback_of("/r:sub(/x)", Kind::subscription, group);
  const auto other = callback_of("/r:sub(/y)", Kind::subscription, group);
  ASSERT_TRUE(running.executor->add(ruled, hot).ok());
  ASSERT_TRUE(running.executor->add(other, rest).ok());
  const auto done = apply_schedule(parse(text), "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  EXPECT_EQ(outcomes(*done)["callback /r:sub(/y)"], "unchanged");
  running.executor->remove(*ruled);
  running.executor->remove(*other);
}

TEST(ApplySchedule, HeedsAcrossPrioritiesOfTheNewFile)
{
  Running running(with_main(kThreads));
  const auto group =
    std::make_shared<takt_core::Group>(takt_core::GroupKind::mutually_exclusive, "/g:group(1)");
  takt_core::Binding rest;
  rest.threads = 2;
  const auto one = callback_of("/g:sub(/x)", Kind::subscription, group);
  const auto other = callback_of("/g:sub(/y)", Kind::subscription, group);
  ASSERT_TRUE(running.executor->add(one, rest).ok());
  ASSERT_TRUE(running.executor->add(other, rest).ok());
  const std::string apart = kThreads + "callbacks:\n  - {match: \"/g:sub(/x)\", threads: hot}\n";
  EXPECT_FALSE(check_schedule(parse(with_main(apart)), "main", *running.executor).ok());
  const Schedule allowed =
    parse(with_main(apart + "groups:\n  - {match: \"/g:group(1)\", across_priorities: allow}"));
  const auto checked = check_schedule(allowed, "main", *running.executor);
  ASSERT_TRUE(checked.ok()) << checked.faults().front();
  EXPECT_FALSE(apply_schedule(parse(with_main(apart)), "main", *running.executor).ok())
    << "a check allows nothing";
  const auto done = apply_schedule(allowed, "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  EXPECT_EQ(running.executor->scheduler().binding(*one)->threads, 1U);
  running.executor->remove(*one);
  running.executor->remove(*other);
}

TEST(ApplySchedule, LeavesAttributesAloneForWhichNobodyAsked)
{
  Running running(with_main(kThreads));
  const pid_t rest = running.executor->thread_ids()[1];
  const int level = takt_rt::read_attributes(rest).nice.value_or(0) + 3;
  ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(rest), level), 0);
  const auto done = apply_schedule(parse(with_main(kThreads)), "main", *running.executor);
  ASSERT_TRUE(done.ok()) << done.faults().front();
  EXPECT_EQ(outcomes(*done)["thread rest"], "unchanged");
  EXPECT_EQ(takt_rt::read_attributes(rest).nice, level);
}

// The schedule requests the attributes that the thread already has. The schedule template that takt
// writes for a program under nice(1) and taskset(1) does so.
TEST(ApplySchedule, LeavesAThreadAloneThatHasWhatIsAskedForTheFirstTime)
{
  Running running(with_main(kThreads));
  const pid_t rest = running.executor->thread_ids()[1];
  const int level = takt_rt::read_attributes(rest).nice.value_or(0) + 3;
  ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(rest), level), 0);
  const auto outcome_of = [&](const std::string & attributes) {
    const auto done = apply_schedule(
      parse(with_main("threads: {hot: {nice: 1}, rest: {" + attributes + "}}\ndefault: rest\n")),
      "main", *running.executor);
    return done.ok() ? outcomes(*done)["thread rest"] : done.faults().front();
  };
  const std::string nice = "nice: " + std::to_string(level);
  std::string cores = ", cores: [";
  for (const int core : takt_rt::read_attributes(rest).cores) {
    cores += std::to_string(core) + ", ";
  }
  cores += "]";
  EXPECT_EQ(outcome_of(nice), "unchanged");
  EXPECT_EQ(outcome_of(nice + cores), "unchanged");
  EXPECT_EQ(outcome_of("nice: " + std::to_string(level + 1)), "applied");
  EXPECT_EQ(takt_rt::read_attributes(rest).nice, level + 1);
}

TEST(ApplySchedule, NamesTheCoresOfAThread)
{
  const std::vector<int> usable = takt_rt::usable_cores();
  Running running(with_main(kThreads));
  const auto why = [&](const std::string & cores) {
    const auto done = apply_schedule(
      parse(
        with_main("threads: {hot: {nice: 1, cores: [" + cores + "]}, rest: {}}\ndefault: rest\n")),
      "main", *running.executor);
    if (!done.ok()) {
      return done.faults().front();
    }
    const auto part = std::find_if(
      done->begin(), done->end(), [](const auto & one) { return one.what == "thread hot"; });
    return takt_rt::Fault(part->why);
  };
  const std::string one = std::to_string(usable.front());
  EXPECT_NE(to_string(why(one)).find("on core " + one), std::string::npos) << why(one);
  if (usable.size() > 1) {
    const std::string both = one + ", " + std::to_string(usable[1]);
    const std::string said = to_string(why(both));
    EXPECT_NE(said.find("on core " + one + " -> "), std::string::npos) << said;
    EXPECT_NE(said.find(" on cores "), std::string::npos) << said;
  }
}

// Refuses nice levels while `grudges` is set.
class Grudging final : public takt_rt::AttributeSetter
{
public:
  takt_rt::AttributeReport apply(const takt_rt::ThreadAttributes & attributes, pid_t tid) override
  {
    if (!grudges || !attributes.nice) {
      return takt_rt::own_rights().apply(attributes, tid);
    }
    takt_rt::AttributeReport report;
    report.asked = attributes;
    report.granted = takt_rt::read_attributes(tid);
    report.faults = refusals(attributes);
    return report;
  }
  takt_rt::Faults refusals(const takt_rt::ThreadAttributes & attributes) override
  {
    takt_rt::Refusal refusal;
    refusal.asked = attributes;
    return grudges && attributes.nice ? takt_rt::Faults{refusal} : takt_rt::Faults{};
  }
  bool allow_realtime(int) override { return true; }
  std::atomic<bool> grudges{true};
};

TEST(ApplySchedule, TriesAgainWhatWasRefusedBefore)
{
  const auto setter = std::make_shared<Grudging>();
  const Schedule schedule = parse(with_main(kThreads + "missing_rights: report\n"));
  auto made = make_executor(schedule, "main", nullptr, setter);
  ASSERT_TRUE(made.ok()) << made.faults().front();
  takt_core::Executor & executor = **made;
  ASSERT_TRUE(executor.start().ok());
  const pid_t hot = executor.thread_ids()[0];
  const auto told = [&] {
    const auto done = apply_schedule(schedule, "main", executor);
    return done.ok() ? outcomes(*done)["thread hot"] : to_string(done.faults().front());
  };
  EXPECT_EQ(told(), "failed") << "the thread has not what the schedule asks for";
  EXPECT_EQ(told(), "failed");
  setter->grudges = false;
  EXPECT_EQ(told(), "applied");
  EXPECT_EQ(takt_rt::read_attributes(hot).nice, 1);
  EXPECT_EQ(told(), "unchanged");
  executor.cancel();
  executor.wait();
}

TEST(ApplySchedule, ChangesNothingWhereOnlyAStartCouldGiveWhatIsAsked)
{
  Running running(with_main(kThreads));
  for (const char * const other :
       {"threads: {hot: {nice: 1}}\ndefault: hot\n",
        "threads: {hot: {nice: 1}, rest: {count: 2}}\ndefault: rest\n",
        "threads: {hot: {nice: 1}, rest: {}}\ndefault: rest\norder: priority\n"}) {
    const auto done = apply_schedule(
      parse(
        with_main(std::string(other) + "callbacks:\n  - {match: \"/a:sub(/x)\", threads: hot}")),
      "main", *running.executor);
    ASSERT_FALSE(done.ok()) << other;
    EXPECT_NE(to_string(done.faults().front()).find("start the program again"), std::string::npos)
      << done.faults().front();
    EXPECT_EQ(running.binding("/a:sub(/x)").threads, 2U);
  }
  EXPECT_FALSE(apply_schedule(parse(with_main(kThreads)), "mian", *running.executor).ok());
}

}  // namespace
}  // namespace takt_schedule
