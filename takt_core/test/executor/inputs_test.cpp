// Non-triggering callbacks in a running executor: what their user functions and observers see.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{
namespace
{

using std::chrono::milliseconds;

Binding waits(NonTriggering rule = {})
{
  Binding binding;
  binding.non_triggering = std::move(rule);
  return binding;
}

std::shared_ptr<Group> exclusive()
{
  return std::make_shared<Group>(GroupKind::mutually_exclusive, "group");
}

// Runs the ready callbacks on the calling thread.
void spin_some(Executor & executor)
{
  const SpinOutcome outcome = executor.spin_some();
  EXPECT_TRUE(outcome.faults.empty());
}

class Seen : public Observer
{
public:
  void on_start(const takt_core::Run & run, Time) noexcept override { note("start", run); }
  void on_end(const takt_core::Run & run, Time) noexcept override { note("end", run); }
  void on_empty_take(const takt_core::Run & run) noexcept override { note("empty", run); }

  std::vector<std::string> all;

private:
  void note(const std::string & what, const takt_core::Run & run)
  {
    all.push_back(what + " " + run.callback->id());
  }
};

TEST(Inputs, RunAsRunsOfTheirOwnBeforeTheirTaker)
{
  const auto executor = make_executor();
  const auto seen = std::make_shared<Seen>();
  ASSERT_TRUE(executor->add_observer(seen).ok());
  const auto group = exclusive();
  const auto input = add_function(*executor, "input", {}, group, waits());
  const auto taker = add_function(*executor, "taker", {}, group);
  executor->ready(*input);
  spin_some(*executor);
  EXPECT_EQ(input->takes, 0);
  executor->ready(*taker);
  spin_some(*executor);
  EXPECT_EQ(
    seen->all, (std::vector<std::string>{"start input", "end input", "start taker", "end taker"}));
}

// Observers see one run at a time on each thread: for them a taker's run begins after its inputs'
// runs, and does not contain these.
TEST(Inputs, AreNoPartOfTheirTakersRunForObservers)
{
  class Picks : public Observer
  {
  public:
    void on_picked(const takt_core::Run & run) noexcept override
    {
      all.push_back("picked " + run.callback->id());
    }
    void on_end(const takt_core::Run & run, Time end) noexcept override
    {
      all.push_back("end " + run.callback->id());
      lasted = end - run.start;
    }
    std::vector<std::string> all;
    Duration lasted{};
  };
  const auto executor = make_executor();
  const auto picks = std::make_shared<Picks>();
  ASSERT_TRUE(executor->add_observer(picks).ok());
  const auto group = exclusive();
  const auto input = add_function(
    *executor, "input",
    [](const takt_core::Run &) { std::this_thread::sleep_for(milliseconds(30)); }, group, waits());
  const auto taker = add_function(*executor, "taker", {}, group);
  executor->ready(*input);
  executor->ready(*taker);
  const Time before = now();
  spin_some(*executor);
  EXPECT_EQ(
    picks->all,
    (std::vector<std::string>{"picked input", "end input", "picked taker", "end taker"}));
  EXPECT_LT(picks->lasted, now() - before - milliseconds(29));
}

// While a taker works on, another thread at once starts a callback that waited for the group of an
// input.
TEST(Inputs, LeaveTheirGroupToOtherThreads)
{
  const auto executor = make_executor(2);
  NonTriggering rule;
  rule.taken_by = [](std::string_view id) { return id == "taker"; };
  const auto group = exclusive();
  std::atomic<bool> ran{false};
  std::atomic<bool> waited{false};
  const auto member = add_function(
    *executor, "member", [&](const takt_core::Run &) { ran = true; }, group);
  const auto input = add_function(
    *executor, "input",
    [&](const takt_core::Run &) {
      executor->ready(*member);  // the other thread finds the group busy
      EXPECT_TRUE(eventually([&] { return member->backlog() == 1; }));
      std::this_thread::sleep_for(milliseconds(20));
    },
    group, waits(rule));
  const auto taker = add_function(
    *executor, "taker",
    [&](const takt_core::Run &) { waited = eventually([&] { return ran.load(); }); }, exclusive());
  executor->ready(*input);
  executor->ready(*taker);
  std::thread spinning([&] { static_cast<void>(executor->spin()); });
  EXPECT_TRUE(eventually([&] { return waited.load(); }));
  executor->cancel();
  spinning.join();
  EXPECT_TRUE(waited);
}

// A message carries the activation of the run that published it.
TEST(Inputs, PublishForTheirOwnActivation)
{
  const auto executor = make_executor();
  const auto group = exclusive();
  std::uint32_t root = 0;
  const auto reader = add_function(
    *executor, "reader", [&](const takt_core::Run & run) { root = run.activations.begin()->root; });
  const auto input = add_function(
    *executor, "input", [&](const takt_core::Run &) { executor->ready(*reader); }, group, waits());
  const auto taker = add_function(*executor, "taker", {}, group);
  executor->ready(*input);
  executor->ready(*taker);
  spin_some(*executor);
  spin_some(*executor);
  EXPECT_EQ(reader->runs, 1);
  EXPECT_EQ(root, input->number());
}

TEST(Inputs, WhatATakerLeavesOutIsTakenAndFreedWithoutARun)
{
  class Taken : public FunctionCallback
  {
  public:
    using FunctionCallback::FunctionCallback;
    void leave_out(const takt_core::Run &) noexcept override { ++freed; }
    int freed = 0;
  };
  const auto executor = make_executor();
  const auto seen = std::make_shared<Seen>();
  ASSERT_TRUE(executor->add_observer(seen).ok());
  CallbackOptions options;
  options.id = "input";
  options.kind = Kind::subscription;
  options.group = exclusive();
  options.depth = 10;
  const auto input = std::make_shared<Taken>(options, nullptr);
  NonTriggering latest;
  latest.keep = 1;
  ASSERT_TRUE(executor->add(input, waits(latest)).ok());
  const auto taker = add_function(*executor, "taker", {}, options.group);
  for (int i = 0; i < 3; ++i) {
    executor->ready(*input);
  }
  executor->ready(*taker);
  spin_some(*executor);
  EXPECT_EQ(input->takes, 3);
  EXPECT_EQ(input->freed, 2);
  EXPECT_EQ(input->runs, 1);
  EXPECT_EQ(input->left_out(), 2U);
  EXPECT_EQ(seen->all.front(), "empty input");
}

// Each of several waiting messages counts once, and the taker runs although an input threw.
TEST(Inputs, AnExceptionOfOneEndsNeitherTheOthersNorTheTaker)
{
  const auto executor = make_executor(
    1, [](ExecutorOptions & options) { options.on_exception = ExceptionPolicy::report; });
  const auto group = exclusive();
  const auto throws = add_function(
    *executor, "throws", [](const takt_core::Run &) { throw std::runtime_error("no"); }, group,
    waits());
  const auto input = add_function(*executor, "input", {}, group, waits());
  const auto taker = add_function(*executor, "taker", {}, group);
  executor->ready(*throws);
  executor->ready(*input);
  executor->ready(*taker);
  spin_some(*executor);
  EXPECT_EQ(throws->takes, 1);
  EXPECT_EQ(input->runs, 1);
  EXPECT_EQ(taker->runs, 1);
}

TEST(Inputs, AreTakenByATimer)
{
  const auto executor = make_executor();
  const auto group = exclusive();
  std::atomic<int> at_timer{-1};
  std::shared_ptr<FunctionCallback> input = add_function(*executor, "input", {}, group, waits());
  const auto timer = add_function(
    *executor, "timer", [&](const takt_core::Run &) { at_timer = input->runs.load(); }, group, {},
    TimerOptions{milliseconds(1)});
  executor->ready(*input);
  executor->ready(*input);
  std::thread spinning([&] { EXPECT_TRUE(executor->spin().ok()); });
  EXPECT_TRUE(eventually([&] { return timer->runs > 0; }));
  executor->cancel();
  spinning.join();
  EXPECT_EQ(at_timer, 2);
}

// Members of one group on threads of different urgency are a fault, but not with a member that does
// not trigger.
TEST(Inputs, DoNotCountWhereAGroupMayNotSpanPriorities)
{
  const auto executor = make_executor(2, [](ExecutorOptions & options) {
    options.threads[0].attributes.nice = -5;
    options.threads[1].attributes.nice = 5;
    options.missing_rights = MissingRights::report;
  });
  Binding first;
  first.threads = 1;
  const auto group = exclusive();
  add_function(*executor, "taker", {}, group, first);
  EXPECT_NO_THROW(add_function(*executor, "input", {}, group, waits()));
  EXPECT_THROW(add_function(*executor, "other", {}, group), std::runtime_error);
}

// A less urgent taker in another group would block the group's members while it runs the input.
TEST(Inputs, AreNotTakenFromAnotherGroupAtAnotherPriority)
{
  for (const bool taker_last : {false, true}) {
    const auto executor = make_executor(2, [](ExecutorOptions & options) {
      options.threads[0].attributes.nice = -5;
      options.threads[1].attributes.nice = 5;
      options.missing_rights = MissingRights::report;
    });
    NonTriggering rule;
    rule.taken_by = [](std::string_view id) { return id == "taker"; };
    const auto group = exclusive();
    Binding urgent;
    urgent.threads = 1;
    add_function(*executor, "member", {}, group, urgent);
    Binding late;
    late.threads = 2;
    std::vector<std::function<void()>> adds{
      [&] { add_function(*executor, "input", {}, group, waits(rule)); },
      [&] { add_function(*executor, "taker", {}, exclusive(), late); }};
    adds[taker_last ? 0 : 1]();
    try {
      adds[taker_last ? 1 : 0]();
      FAIL() << "was added";
    } catch (const std::runtime_error & error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("taker (which takes the messages of input)"), std::string::npos) << said;
    }
  }
}

TEST(Inputs, ThatNothingTakesAreNamed)
{
  const auto executor = make_executor();
  const auto group = exclusive();
  add_function(*executor, "input", {}, group, waits());
  ASSERT_EQ(executor->waiting_in_vain().size(), 1U);
  EXPECT_NE(
    to_string(executor->waiting_in_vain().front()).find("nothing takes its messages"),
    std::string::npos);
  add_function(*executor, "taker", {}, group);
  EXPECT_TRUE(executor->waiting_in_vain().empty());
}

// An input removes its taker, which waits for the input's run. Neither waits without end.
TEST(Inputs, RemoveTheirTaker)
{
  const auto executor = make_executor();
  const auto group = exclusive();
  std::shared_ptr<FunctionCallback> taker;
  const auto input = add_function(
    *executor, "input", [&](const takt_core::Run &) { executor->remove(*taker); }, group, waits());
  taker = add_function(*executor, "taker", {}, group);
  executor->ready(*input);
  executor->ready(*taker);
  spin_some(*executor);
  EXPECT_EQ(input->runs, 1);
  EXPECT_EQ(taker->runs, 1) << "its run had begun";
  EXPECT_EQ(executor->scheduler().find("taker"), nullptr);
}

// A taker whose take finds no message does not start, so it takes no inputs.
TEST(Inputs, AreNotTakenByATakerWithoutAMessage)
{
  const auto executor = make_executor();
  const auto group = exclusive();
  const auto input = add_function(*executor, "input", {}, group, waits());
  const auto taker = add_function(*executor, "taker", {}, group);
  taker->on_take = [](const takt_core::Run &) { return false; };
  executor->ready(*input);
  executor->ready(*taker);
  spin_some(*executor);
  EXPECT_EQ(taker->takes, 1);
  EXPECT_EQ(input->takes, 0);
}

TEST(Inputs, EndWithACancel)
{
  const auto executor = make_executor();
  const auto group = exclusive();
  const auto input = add_function(
    *executor, "input", [&](const takt_core::Run &) { executor->cancel(); }, group, waits());
  const auto taker = add_function(*executor, "taker", {}, group);
  executor->ready(*input);
  executor->ready(*input);
  executor->ready(*taker);
  EXPECT_TRUE(executor->spin_some().cancelled);
  EXPECT_EQ(input->runs, 1);
  EXPECT_EQ(input->backlog(), 1U);
}

// An input is removed by its own run, and by another thread while takers run.
TEST(Inputs, AreRemovedWhileTakersRun)
{
  const auto executor = make_executor(2);
  const auto group = exclusive();
  const auto taker = add_function(*executor, "taker", {}, group);
  std::atomic<bool> over{false};
  std::thread spinning([&] { EXPECT_TRUE(executor->spin().ok()); });
  std::thread announcing([&] {
    while (!over) {
      executor->ready(*taker);
    }
  });
  for (int i = 0; i < 200; ++i) {
    std::shared_ptr<FunctionCallback> input;
    input = add_function(
      *executor, "input",
      [&](const takt_core::Run & run) {
        if (i % 2 == 0) {
          executor->remove(*run.callback);
        }
      },
      group, waits());
    executor->ready(*input);
    EXPECT_TRUE(eventually([&] { return input->runs > 0; }));
    // If the input removed itself, its run may end later.
    EXPECT_TRUE(eventually([&] {
      executor->remove(*input);
      return input.use_count() == 1;
    }));
  }
  over = true;
  announcing.join();
  executor->cancel();
  spinning.join();
}

}  // namespace
}  // namespace takt_core::test
