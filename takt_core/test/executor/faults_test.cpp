// What goes wrong: exceptions by policy, missing rights, removal from awkward places, empty takes.
#include <gtest/gtest.h>

#include "support/executor_fixture.hpp"
#include "unprivileged_child.hpp"

namespace takt_core::test
{
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
  executor->add_observer(watch);
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
  options.threads[1].attributes.policy = Policy::fifo;
  options.threads[1].attributes.priority = 20;
  return options;
}

TEST(MissingRights, fail_starts_nothing_and_names_the_right)
{
  const auto said = in_child([]() -> std::string {
    if (!become_nobody()) {
      return "cannot become nobody";
    }
    auto executor = Executor::create(urgent());
    const auto c = add_function(**executor, "c");
    (*executor)->ready(*c);
    const Status status = (*executor)->start();
    if (status.ok() || c->runs.load() != 0 || (*executor)->running()) {
      return "started";
    }
    return status.faults().size() == 1 ? status.faults()[0] : "faults";
  });
  ASSERT_TRUE(said.has_value());
  EXPECT_NE(said->find("SCHED_FIFO"), std::string::npos) << *said;
}

TEST(MissingRights, report_runs_with_what_was_granted_and_tells)
{
  const auto said = in_child([]() -> std::string {
    if (!become_nobody()) {
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

}  // namespace
}  // namespace takt_core::test
