// Faults: exceptions by policy, missing rights, removal from inside callbacks, empty takes.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "support/executor_fixture.hpp"
#include "takt_rt/test/unprivileged_child.hpp"

namespace takt_core::test
{

using takt_rt::Policy;
using takt_rt::read_attributes;

namespace
{

TEST(Exceptions, stop_hands_the_first_one_to_the_caller_of_spin)
{
  const auto executor = make_executor(2);
  const auto c =
    add_function(*executor, "c", [](const auto &) { throw std::runtime_error("first"); });
  executor->ready(*c);
  const SpinOutcome outcome = executor->spin();
  ASSERT_NE(outcome.exception, nullptr);
  EXPECT_THROW(std::rethrow_exception(outcome.exception), std::runtime_error);
  EXPECT_EQ(executor->exceptions(), 1U);
  executor->ready(*c);
  bool ran = false;
  EXPECT_NE(executor->spin_once(Duration(-1), &ran).exception, nullptr);
  EXPECT_FALSE(c->group().busy());
  EXPECT_TRUE(executor->spin_once(Duration::zero()).ok()) << "an exception is told once";
}

TEST(Exceptions, report_counts_them_and_goes_on)
{
  struct Watch : Observer
  {
    void on_exception(const takt_core::Run &, const std::exception_ptr &) noexcept override
    {
      ++thrown;
    }
    void on_end(const takt_core::Run &, Time) noexcept override { ++ended; }
    std::atomic<int> thrown{0}, ended{0};
  };
  const auto executor =
    make_executor(2, [](auto & o) { o.on_exception = ExceptionPolicy::report; });
  const auto watch = std::make_shared<Watch>();
  ASSERT_TRUE(executor->add_observer(watch).ok());
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto bad = add_function(
    *executor, "bad", [](const auto &) { throw 1; }, group);
  const auto good = add_function(*executor, "good", {}, group);
  executor->ready(*bad, 10);
  executor->ready(*good, 10);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return good->runs.load() == 10 && watch->ended.load() == 20; }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_EQ(executor->exceptions(), 10U);
  EXPECT_EQ(watch->thrown.load(), 10);
}

TEST(Exceptions, of_a_take_are_handled_like_those_of_a_run)
{
  const auto executor = make_executor(2);
  const auto c = add_function(*executor, "c", {}, std::make_shared<Group>(GroupKind::reentrant));
  c->on_take = [first = true](const takt_core::Run &) mutable {
    if (std::exchange(first, false)) {
      throw std::runtime_error("take");
    }
    return true;
  };
  executor->ready(*c, 2);
  EXPECT_NE(executor->spin().exception, nullptr);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->runs.load() == 1; }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(EmptyTakes, run_nothing_and_block_nothing)
{
  const auto executor = make_executor(1);
  const auto c = add_function(*executor, "c");
  c->on_take = [n = 0](const takt_core::Run &) mutable { return ++n % 2 == 0; };
  executor->ready(*c, 6);
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return c->takes.load() == 6; }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
  EXPECT_EQ(c->runs.load(), 3);
}

TEST(Removal, from_inside_itself_returns_at_once_and_keeps_it_alive_until_it_is_over)
{
  const auto executor = make_executor(2);
  std::weak_ptr<Callback> weak;
  std::atomic<bool> alive{false};
  auto c = add_function(*executor, "c", [&](const takt_core::Run & run) {
    executor->remove(*run.callback);
    alive.store(!weak.expired());
  });
  weak = c;
  executor->ready(*c, 5);
  c.reset();
  const auto end = add_function(*executor, "end");
  ASSERT_TRUE(executor->start().ok());
  EXPECT_TRUE(eventually([&] { return alive.load(); }));
  executor->ready(*end);
  EXPECT_TRUE(eventually([&] { return end->runs.load() == 1; }));
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

// Tests when a callback is freed if only its own run still holds it.
class RemovedFromInside : public testing::Test
{
protected:
  void make(Executor & executor)
  {
    auto c = add_function(executor, "c", [&executor, this](const takt_core::Run & run) {
      executor.remove(*run.callback);
      EXPECT_TRUE(eventually([&] { return may_end.load(); }));
    });
    weak = c;
    executor.ready(*c);
  }

  std::weak_ptr<Callback> weak;
  std::atomic<bool> may_end{true};
};

TEST_F(RemovedFromInside, is_freed_by_the_thread_in_wait_once_it_is_over)
{
  const auto executor = make_executor(2);
  std::thread spinning([&] { EXPECT_TRUE(executor->spin().ok()); });
  for (int i = 0; i < 3; ++i) {
    may_end.store(false);
    make(*executor);
    EXPECT_TRUE(eventually([&] { return executor->scheduler().find("c") == nullptr; }));
    EXPECT_FALSE(weak.expired());
    may_end.store(true);
    EXPECT_TRUE(eventually([&] { return weak.expired(); }));
  }
  executor->cancel();
  spinning.join();
}

TEST_F(RemovedFromInside, is_freed_by_the_end_of_a_spin)
{
  const auto executor = make_executor(1);
  make(*executor);
  EXPECT_TRUE(executor->spin_once(Duration(-1)).ok());
  EXPECT_TRUE(weak.expired());
  make(*executor);
  EXPECT_TRUE(executor->spin_some().ok());
  EXPECT_TRUE(weak.expired());
}

TEST_F(RemovedFromInside, is_freed_by_the_next_set_up_function)
{
  const auto executor = make_executor(2);
  const auto other = add_function(*executor, "other");
  const std::vector<std::function<void()>> functions{
    [&] {
      EXPECT_TRUE(executor->reconfigure({.callbacks = {{other, {.threads = 1}}}}).ok());
    },
    [&] {
      EXPECT_TRUE(executor->reconfigure({.more_chains = {{"chain", {"other"}}}}).ok());
    },
    [&] { executor->remove(*add_function(*executor, "passing")); },
    [&] { executor->remove(*other); },
  };
  ASSERT_TRUE(executor->start().ok());
  for (const auto & function : functions) {
    make(*executor);
    EXPECT_TRUE(eventually([&] {
      function();
      return weak.expired();
    }));
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(Removal, of_the_last_reference_may_remove_others_in_its_destructor)
{
  // The destructor of a node does this, if one of the node's own callbacks owns the node.
  const auto executor = make_executor(2);
  for (const bool inside : {true, false}) {
    const auto other = add_function(*executor, "other");
    auto owner = std::shared_ptr<int>(new int(0), [&](const int * p) {
      executor->remove(*other);
      delete p;
    });
    auto c = add_function(*executor, "c", [&executor, owner](const takt_core::Run & run) {
      executor->remove(*run.callback);
    });
    if (inside) {
      executor->ready(*c);
      c.reset();
      owner.reset();
      EXPECT_TRUE(executor->spin_once(Duration(-1)).ok());
    } else {
      owner.reset();
      Callback & alone = *c;
      c.reset();
      executor->remove(alone);
    }
    EXPECT_EQ(executor->scheduler().find("other"), nullptr);
  }
}

TEST(Removal, waits_for_a_run_on_another_thread)
{
  const auto executor = make_executor(2);
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> inside{false}, over{false};
    const auto c = add_function(*executor, "c", [&](const takt_core::Run &) {
      inside.store(true);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      over.store(true);
    });
    if (i == 0) {
      ASSERT_TRUE(executor->start().ok());
    }
    executor->ready(*c);
    EXPECT_TRUE(eventually([&] { return inside.load(); }));
    executor->remove(*c);
    EXPECT_TRUE(over.load());
  }
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

ExecutorOptions urgent()
{
  ExecutorOptions options;
  options.threads.resize(2);
  options.threads[0].attributes.nice = read_attributes().nice;  // also if the tests run niced
  options.threads[1].attributes.policy = Policy::fifo;
  options.threads[1].attributes.priority = 20;
  return options;
}

TEST(MissingRights, fail_starts_nothing_and_names_the_right)
{
  const auto said = takt_rt::test::in_child([]() -> std::string {
    if (!takt_rt::test::become_nobody()) {
      return "cannot become nobody";
    }
    auto executor = Executor::create(urgent());
    const auto c = add_function(**executor, "c");
    (*executor)->ready(*c);
    const Status status = (*executor)->start();
    if (status.ok() || c->runs.load() != 0 || (*executor)->running()) {
      return "started";
    }
    return status.faults().size() == 1 ? to_string(status.faults()[0]) : "faults";
  });
  ASSERT_TRUE(said.has_value());
  EXPECT_NE(said->find("SCHED_FIFO"), std::string::npos) << *said;
  EXPECT_EQ(said->find("executor: thread executor.1: "), 0U) << *said;
}

TEST(Faults, of_options_name_the_executor_and_the_thread)
{
  ExecutorOptions options;
  options.name = "planning";
  options.threads.resize(2);
  options.threads[0].attributes.nice = 99;
  options.threads[1].attributes.name = "hot";
  options.threads[1].attributes.nice = 99;
  const Faults faults = validate(options);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(to_string(faults[0]).find("planning: thread 0: "), 0U) << faults[0];
  EXPECT_EQ(to_string(faults[1]).find("planning: thread hot: "), 0U) << faults[1];
}

TEST(MissingRights, report_runs_with_what_was_granted_and_tells)
{
  const auto said = takt_rt::test::in_child([]() -> std::string {
    if (!takt_rt::test::become_nobody()) {
      return "cannot become nobody";
    }
    ExecutorOptions options = urgent();
    options.missing_rights = MissingRights::report;
    auto executor = Executor::create(options);
    Binding binding;
    binding.threads = 2;
    const auto c = add_function(**executor, "c", {}, nullptr, binding);
    (*executor)->ready(*c);
    if (!(*executor)->start().ok() || !eventually([&] { return c->runs.load() == 1; })) {
      return "did not run";
    }
    const auto reports = (*executor)->attributes();
    (*executor)->cancel();
    (*executor)->wait();
    return !reports[1].granted_all() && reports[1].granted.policy == Policy::other &&
               reports[0].granted_all()
             ? "reported"
             : "not reported";
  });
  EXPECT_EQ(said.value_or("died"), "reported");
}

// The sanitizers answer mlockall themselves: it never fails.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kRefusedLocks = 0;
#else
constexpr std::size_t kRefusedLocks = 1;
#endif

// Runs an executor once without any rights, under `policy`. Returns the outcome as text.
std::string run_without_rights(MissingRights policy)
{
  const auto said = takt_rt::test::in_unprivileged_child([policy]() -> std::string {
    struct Watch : Observer
    {
      void on_refusals(const Faults & faults) override { refused = faults; }
      Faults refused;
    };
    ExecutorOptions options;
    options.lock_memory = true;
    options.middleware_ceiling = {MiddlewareCeiling::Mode::fixed, 90};
    options.missing_rights = policy;
    auto executor = Executor::create(options);
    const auto watch = std::make_shared<Watch>();
    if (!(*executor)->add_observer(watch).ok()) {
      return "no observer";
    }
    if (!(*executor)->refusals().empty()) {
      return "refused before it asked";
    }
    const auto c = add_function(**executor, "c", [&](const auto &) { (*executor)->cancel(); });
    (*executor)->ready(*c);
    const SpinOutcome outcome = (*executor)->spin();
    std::string text = c->runs.load() == 1 ? "ran; " : "did not run; ";
    for (const std::string & fault : sentences(outcome.faults)) {
      text += "fault: " + fault + "; ";
    }
    for (const std::string & fault : sentences((*executor)->refusals())) {
      text += "refusal: " + fault + "; ";
    }
    for (const std::string & fault : sentences(watch->refused)) {
      text += "observed: " + fault + "; ";
    }
    return text + "ceiling " + std::to_string((*executor)->middleware_ceiling());
  });
  return said.value_or("died");
}

std::size_t count(const std::string & text, const std::string & part)
{
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) {
    ++found;
  }
  return found;
}

TEST(MissingRights, report_tells_what_was_refused_to_the_process_as_a_whole)
{
  const std::string said = run_without_rights(MissingRights::report);
  EXPECT_EQ(said.find("ran; refusal: "), 0U) << said;
  for (const std::string who : {"refusal: ", "observed: "}) {
    EXPECT_EQ(count(said, who), kRefusedLocks + 1) << said;
    EXPECT_EQ(count(said, who + "executor: locking memory refused"), kRefusedLocks) << said;
    EXPECT_EQ(count(said, who + "executor: middleware ceiling"), 1U) << said;
  }
  EXPECT_NE(said.find("RLIMIT_RTPRIO is 0"), std::string::npos) << said;
  EXPECT_EQ(count(said, "ceiling 0"), 1U) << said;
}

TEST(MissingRights, fail_starts_nothing_without_the_rights_of_the_process)
{
  const std::string said = run_without_rights(MissingRights::fail);
  EXPECT_EQ(said.find("did not run; "), 0U) << said;
  EXPECT_EQ(count(said, "fault: "), kRefusedLocks + 1) << said;
  EXPECT_EQ(count(said, "observed: "), 0U) << said;
}

}  // namespace
}  // namespace takt_core::test
