// spin_on_caller: the calling thread is the first executor thread.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "support/executor_fixture.hpp"

namespace takt_core::test
{

using takt_rt::may_use_realtime;
using takt_rt::Policy;
using takt_rt::read_attributes;
using takt_rt::usable_cores;

namespace
{

pid_t this_thread()
{
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

TEST(SpinOnCaller, runs_all_callbacks_of_one_thread_on_the_calling_thread)
{
  const auto executor = make_executor(1);
  std::vector<pid_t> ran;
  const auto last = add_function(*executor, "last", [&](const auto &) {
    ran.push_back(this_thread());
    executor->cancel();
  });
  const auto first = add_function(*executor, "first", [&](const auto &) {
    ran.push_back(this_thread());
    EXPECT_EQ(executor->thread_ids(), std::vector<pid_t>{this_thread()});
    executor->ready(*last);
  });
  for (int i = 0; i < 20; ++i) {
    ran.clear();
    executor->ready(*first);
    EXPECT_TRUE(executor->spin_on_caller().ok());
    EXPECT_EQ(ran, (std::vector<pid_t>{this_thread(), this_thread()}));
    EXPECT_FALSE(executor->running());
    EXPECT_EQ(executor->thread_ids(), std::vector<pid_t>{0});
  }
}

TEST(SpinOnCaller, creates_the_other_threads)
{
  const auto executor = make_executor(3);
  std::atomic<int> here{0};
  std::mutex mutex;
  std::vector<pid_t> ran;
  // Each callback waits for the two others, so the test needs three threads.
  const auto meet = [&](const auto &) {
    {
      std::lock_guard lock(mutex);
      ran.push_back(this_thread());
    }
    here.fetch_add(1);
    EXPECT_TRUE(eventually([&] { return here.load() == 3; }));
    executor->cancel();
  };
  for (const char * id : {"a", "b", "c"}) {
    executor->ready(*add_function(*executor, id, meet));
  }
  EXPECT_TRUE(executor->spin_on_caller().ok());
  ASSERT_EQ(ran.size(), 3U);
  EXPECT_EQ(std::count(ran.begin(), ran.end(), this_thread()), 1);
}

TEST(SpinOnCaller, gives_the_caller_back_its_attributes_and_never_renames_it)
{
  const int core = usable_cores().back();
  const bool realtime = may_use_realtime(10);
  const auto executor = make_executor(1, [&](ExecutorOptions & options) {
    ThreadAttributes & attributes = options.threads.front().attributes;
    attributes.name = "renamed";
    attributes.cores = {core};
    if (realtime) {
      attributes.policy = Policy::fifo;
      attributes.priority = 10;
    }
  });
  const ThreadAttributes before = read_attributes();
  ThreadAttributes inside;
  const auto c = add_function(*executor, "c", [&](const auto &) {
    inside = read_attributes();
    executor->cancel();
  });
  executor->ready(*c);
  EXPECT_TRUE(executor->spin_on_caller().ok());
  EXPECT_EQ(inside.cores, std::vector<int>{core});
  EXPECT_EQ(inside.name, before.name);
  if (realtime) {
    EXPECT_EQ(inside.policy, Policy::fifo);
    EXPECT_EQ(inside.priority, 10);
  }
  EXPECT_EQ(read_attributes(), before);
}

TEST(SpinOnCaller, gives_the_attributes_back_where_the_start_fails)
{
  const int core = usable_cores().back();
  const auto executor = make_executor(2, [&](ExecutorOptions & options) {
    options.threads.front().attributes.cores = {core};
    options.middleware_ceiling = {MiddlewareCeiling::Mode::off, 0};
  });
  const ThreadAttributes before = read_attributes();
  ASSERT_TRUE(executor->start().ok());
  EXPECT_FALSE(executor->spin_on_caller().ok()) << "it is spinning already";
  EXPECT_EQ(read_attributes(), before);
  executor->cancel();
  EXPECT_TRUE(executor->wait().ok());
}

TEST(SpinOnCaller, is_awaited_by_other_threads_until_the_caller_is_out)
{
  for (int i = 0; i < 100; ++i) {
    const auto executor = make_executor(2);
    std::promise<void> running;
    const auto c = add_function(*executor, "c", [&](const auto &) { running.set_value(); });
    executor->ready(*c);
    auto other = std::async(std::launch::async, [&] {
      running.get_future().wait();
      executor->cancel();
      // `wait` either waits for the caller, or finds that the caller has left already ("not
      // started").
      const SpinOutcome outcome = executor->wait();
      return outcome.exception == nullptr && !executor->running();
    });
    EXPECT_TRUE(executor->spin_on_caller().ok());
    EXPECT_TRUE(other.get());
  }
}

TEST(SpinOnCaller, hands_exceptions_to_the_caller_and_counts_as_a_spin)
{
  const auto executor = make_executor(1);
  const auto c = add_function(*executor, "c", [&](const auto &) {
    EXPECT_FALSE(executor->spin_on_caller().ok());
    EXPECT_FALSE(executor->spin().ok());
    EXPECT_FALSE(executor->wait().ok());
    throw std::runtime_error("thrown");
  });
  executor->ready(*c);
  const SpinOutcome outcome = executor->spin_on_caller();
  ASSERT_NE(outcome.exception, nullptr);
  EXPECT_THROW(std::rethrow_exception(outcome.exception), std::runtime_error);
  executor->cancel();
  EXPECT_TRUE(executor->spin_on_caller().ok()) << "the cancel that came before ends this spin";
}

/// Makes all threads but the first begin late, as on a busy machine.
class LateThreads : public Observer
{
public:
  explicit LateThreads(std::atomic<bool> & come) : come_(come) {}
  void on_thread(std::uint32_t thread, const AttributeReport &) override
  {
    if (thread > 0) {
      EXPECT_TRUE(eventually([&] { return come_.load(); }))
        << "the first thread waits for this one";
      arrived.fetch_add(1);
    }
  }
  std::atomic<int> arrived{0};

private:
  std::atomic<bool> & come_;
};

TEST(SpinOnCaller, runs_callbacks_before_the_other_threads_have_begun_where_asked_to)
{
  std::atomic<bool> come{false};
  const auto late = std::make_shared<LateThreads>(come);
  const auto executor =
    make_executor(3, [](ExecutorOptions & options) { options.begins_with_first = true; });
  ASSERT_TRUE(executor->add_observer(late).ok());
  const ThreadAttributes own = read_attributes();
  const auto last = add_function(*executor, "last", [&](const auto &) {
    EXPECT_TRUE(eventually([&] { return late->arrived.load() == 2; }));
    executor->cancel();
  });
  const auto first = add_function(*executor, "first", [&](const auto &) {
    EXPECT_EQ(late->arrived.load(), 0);
    const auto expected = executor->attributes();
    ASSERT_EQ(expected.size(), 3U);
    EXPECT_EQ(expected[1].granted.cores, own.cores);
    EXPECT_EQ(expected[1].granted.policy, own.policy);
    come.store(true);
    executor->ready(*last);
  });
  for (int i = 0; i < 2; ++i) {
    come.store(false);
    late->arrived.store(0);
    executor->ready(*first);
    EXPECT_TRUE(executor->spin_on_caller().ok());
    EXPECT_EQ(last->runs.load(), i + 1);
    EXPECT_EQ(late->arrived.load(), 2);
    EXPECT_EQ(executor->attributes().size(), 3U);
  }
}

TEST(SpinOnCaller, is_over_when_threads_that_came_after_its_end_have_left)
{
  std::atomic<bool> come{false};
  const auto late = std::make_shared<LateThreads>(come);
  const auto executor =
    make_executor(3, [](ExecutorOptions & options) { options.begins_with_first = true; });
  ASSERT_TRUE(executor->add_observer(late).ok());
  const auto only = add_function(*executor, "only", [&](const auto &) {
    executor->cancel();
    come.store(true);
  });
  executor->ready(*only);
  EXPECT_TRUE(executor->spin_on_caller().ok());
  EXPECT_EQ(late->arrived.load(), 2);
  EXPECT_FALSE(executor->running());
}

TEST(SpinOnCaller, gives_new_attributes_to_a_thread_that_has_not_begun)
{
  std::atomic<bool> come{false};
  const auto late = std::make_shared<LateThreads>(come);
  const auto executor =
    make_executor(2, [](ExecutorOptions & options) { options.begins_with_first = true; });
  ASSERT_TRUE(executor->add_observer(late).ok());
  const int core = usable_cores().back();
  std::future<bool> changed;
  const auto first = add_function(*executor, "first", [&](const auto &) {
    changed = std::async(std::launch::async, [&] {
      ThreadAttributes attributes;
      attributes.cores = {core};
      return executor->reconfigure({.threads = {{1, attributes}}}).ok();
    });
    come.store(true);
    EXPECT_TRUE(changed.get());
    executor->cancel();
  });
  executor->ready(*first);
  EXPECT_TRUE(executor->spin_on_caller().ok());
  EXPECT_EQ(executor->attributes()[1].granted.cores, std::vector<int>{core});
}

TEST(SpinOnCaller, waits_for_threads_that_ask_for_attributes)
{
  ExecutorOptions options;
  options.begins_with_first = true;
  options.threads.resize(2);
  EXPECT_TRUE(validate(options).empty());
  options.lock_memory = true;
  EXPECT_EQ(validate(options).size(), 1U);
  options.threads[1].attributes.nice = 5;
  EXPECT_EQ(validate(options).size(), 2U);
  options.threads[0].attributes.cores = {0};
  EXPECT_EQ(validate(options).size(), 3U);
}

/// Tells whether all threads of the executor sleep.
class Sleeping : public Observer
{
public:
  explicit Sleeping(std::size_t threads) : asleep_(threads) {}
  void on_idle(std::uint32_t thread, Time) noexcept override { asleep_[thread].store(true); }
  void on_wake(std::uint32_t thread, Time) noexcept override { asleep_[thread].store(false); }
  ObserverInterest interest() const noexcept override
  {
    ObserverInterest interest;
    interest.idling = true;
    return interest;
  }
  bool all() const
  {
    return std::all_of(asleep_.begin(), asleep_.end(), [](const auto & one) { return one.load(); });
  }

private:
  std::vector<std::atomic<bool>> asleep_;
};

TEST(SpinOnCaller, wakes_the_thread_that_the_program_made_more_urgent_than_the_others)
{
  const auto executor = make_executor(2);
  const auto sleeping = std::make_shared<Sleeping>(2);
  ASSERT_TRUE(executor->add_observer(sleeping).ok());
  pid_t yielding = 0;
  std::vector<pid_t> ran;
  const auto yields = add_function(*executor, "yields", [&](const auto &) {
    yielding = this_thread();
    const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(yielding));
    EXPECT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(yielding), nice + 1), 0);
  });
  const auto after =
    add_function(*executor, "after", [&](const auto &) { ran.push_back(this_thread()); });
  std::thread other([&] {
    const auto sleeps = [&] { return sleeping->all(); };
    EXPECT_TRUE(eventually(sleeps));
    executor->ready(*yields);
    EXPECT_TRUE(eventually([&] { return yields->runs.load() == 1; }));
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(eventually(sleeps));
      executor->ready(*after);
      EXPECT_TRUE(eventually([&] { return after->runs.load() == i + 1; }));
    }
    executor->cancel();
  });
  // The spin has a thread of its own, because an unprivileged thread cannot restore its urgency.
  std::thread spin([&] { EXPECT_TRUE(executor->spin_on_caller().ok()); });
  spin.join();
  other.join();
  EXPECT_EQ(ran.size(), 20U);
  EXPECT_EQ(std::count(ran.begin(), ran.end(), yielding), 0);
}

TEST(SpinOnCaller, nests_in_a_callback_of_another_executor)
{
  const auto outer = make_executor(1);
  const auto inner = make_executor(1);
  const auto deep = add_function(*inner, "deep", [&](const auto &) {
    EXPECT_EQ(current_executor(), inner.get());
    inner->cancel();
  });
  const auto c = add_function(*outer, "c", [&](const takt_core::Run & run) {
    inner->ready(*deep);
    EXPECT_TRUE(inner->spin_on_caller().ok());
    EXPECT_EQ(current_executor(), outer.get());
    EXPECT_EQ(current_run(), &run);
    outer->cancel();
  });
  outer->ready(*c);
  EXPECT_TRUE(outer->spin_on_caller().ok());
  EXPECT_EQ(deep->runs.load(), 1);
  EXPECT_EQ(current_executor(), nullptr);
}

}  // namespace
}  // namespace takt_core::test
