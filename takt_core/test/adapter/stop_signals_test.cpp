// Signals cancel executors, also while a real-time thread removes executors.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/one_core.hpp"
#include "takt_core/adapter/stop_signals.hpp"
#include "takt_core/executor.hpp"

namespace takt_core::adapter
{

namespace
{

using namespace std::chrono_literals;
using test::cpu_time;
using test::one_core;
using test::set_fifo;

// An ordinary thread only handles signals. A real-time thread on the same core interrupts it
// repeatedly, mostly inside the handler, and removes an executor. If the removal spun until the
// handler's end, it would spin until real-time throttling stops it.
TEST(StopSignals, GetsOnWhereARealTimeThreadWaitsForIt)
{
  auto executor = Executor::create();
  ASSERT_TRUE(executor.ok());
  const cpu_set_t core = one_core();
  std::atomic<bool> done{false};
  stop_signals::acquire();
  std::thread handling([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    while (!done) {
      ::raise(SIGINT);
    }
  });
  std::chrono::nanoseconds spent{};
  bool allowed = true;
  std::thread remover([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof(core), &core);
    allowed = set_fifo(::pthread_self(), 50);
    for (int i = 0; allowed && i < 200; ++i) {
      EXPECT_TRUE(stop_signals::add(*executor.value()));
      std::this_thread::sleep_for(200us);
      stop_signals::remove(*executor.value());
    }
    spent = cpu_time(::pthread_self());
    done = true;
  });
  remover.join();
  handling.join();
  stop_signals::release();
  if (!allowed) {
    GTEST_SKIP() << "no right to use SCHED_FIFO";
  }
  EXPECT_LT(spent, 400ms);
}

TEST(StopSignals, CancelEveryExecutorThatWasAddedAndNoOther)
{
  auto added = Executor::create();
  auto other = Executor::create();
  ASSERT_TRUE(added.ok() && other.ok());
  stop_signals::acquire();
  ASSERT_TRUE(stop_signals::add(*added.value()));
  std::thread spinning([&] { EXPECT_TRUE(added.value()->spin().ok()); });
  std::thread going_on([&] { EXPECT_TRUE(other.value()->spin().ok()); });
  while (!added.value()->running() || !other.value()->running()) {
    std::this_thread::yield();
  }
  const std::uint64_t before = stop_signals::count();
  ::raise(SIGTERM);
  spinning.join();
  EXPECT_EQ(stop_signals::count(), before + 1);
  EXPECT_TRUE(other.value()->running());
  other.value()->cancel();
  going_on.join();
  stop_signals::remove(*added.value());
  stop_signals::release();
}

TEST(StopSignals, RefuseAnExecutorBeyondTheTable)
{
  std::vector<std::unique_ptr<Executor>> executors;
  for (std::size_t i = 0; i < stop_signals::kMostExecutors; ++i) {
    executors.push_back(std::move(Executor::create().value()));
    ASSERT_TRUE(stop_signals::add(*executors.back()));
  }
  auto one_more = Executor::create();
  ASSERT_TRUE(one_more.ok());
  EXPECT_FALSE(stop_signals::add(*one_more.value()));
  stop_signals::remove(*executors.back());
  EXPECT_TRUE(stop_signals::add(*one_more.value()));
  stop_signals::remove(*one_more.value());
  executors.pop_back();
  for (const auto & executor : executors) {
    stop_signals::remove(*executor);
  }
}

}  // namespace
}  // namespace takt_core::adapter
