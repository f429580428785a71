// Steady state: a dispatch allocates no heap, takes only the core's own short locks, for which an
// executor thread never waits, and with locked memory causes no page fault. Counts malloc and
// pthread_mutex_lock by interposing them, so this is an executable of its own and not for
// sanitizers.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstdlib>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "support/executor_fixture.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_core/statistics_observer.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace
{

// Initialised as a constant, so usable in the first malloc of a thread.
thread_local bool t_watched = false;  // only watched threads are counted
std::atomic<std::uint64_t> g_allocations{0};
std::atomic<std::uint64_t> g_locks{0};

void note(std::atomic<std::uint64_t> & counter)
{
  counter.fetch_add(t_watched ? 1 : 0, std::memory_order_relaxed);
}

}  // namespace

extern "C" {

void * __libc_malloc(std::size_t size);
void * __libc_calloc(std::size_t count, std::size_t size);
void * __libc_realloc(void * memory, std::size_t size);

void * malloc(std::size_t size)
{
  note(g_allocations);
  return __libc_malloc(size);
}

void * calloc(std::size_t count, std::size_t size)
{
  note(g_allocations);
  return __libc_calloc(count, size);
}

void * realloc(void * memory, std::size_t size)
{
  note(g_allocations);
  return __libc_realloc(memory, size);
}

int pthread_mutex_lock(pthread_mutex_t * mutex)
{
  using Lock = int (*)(pthread_mutex_t *);
  static const auto real = reinterpret_cast<Lock>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  note(g_locks);
  return real(mutex);
}

}  // extern "C"

namespace takt_core::test
{
namespace
{

struct Counts
{
  std::uint64_t allocations, locks, waits;
  long faults;
};

Counts counts()
{
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {g_allocations, g_locks, PiMutex::waits(), usage.ru_minflt + usage.ru_majflt};
}

TEST(Counters, see_what_they_count)
{
  t_watched = true;
  const Counts before = counts();
  void * volatile first = std::malloc(10);  // volatile: otherwise the compiler removes it
  free(first);
  int * volatile second = new int(1);
  delete second;
  std::mutex ordinary;
  ordinary.lock();
  ordinary.unlock();
  const Counts after = counts();
  t_watched = false;
  EXPECT_EQ(after.allocations, before.allocations + 2);
  EXPECT_EQ(after.locks, before.locks + 1);
  EXPECT_EQ(after.waits, before.waits);

  PiMutex mutex;
  mutex.lock();
  std::thread other([&] {
    mutex.lock();
    mutex.unlock();
  });
  while (PiMutex::waits() == after.waits) {
    std::this_thread::yield();
  }
  mutex.unlock();
  other.join();
  EXPECT_EQ(counts().waits, before.waits + 1);
}

constexpr int kWarmUp = 2000;
constexpr int kMeasured = 20000;

// A chain of callbacks that announce each other, with an exclusive group, a reentrant group and a
// timer beside them. A run of the first callback reads the counts.
struct Loop
{
  explicit Loop(Order order, bool lock_memory, std::uint32_t threads = 1)
  : executor(make_executor(threads, [&](ExecutorOptions & o) {
      o.order = order;
      o.lock_memory = lock_memory;
    }))
  {
    const auto shared = std::make_shared<Group>(GroupKind::mutually_exclusive);
    const auto free = std::make_shared<Group>(GroupKind::reentrant);
    TimerOptions quick;
    quick.period = std::chrono::microseconds(100);
    timer = add_function(*executor, "timer", {}, shared, {}, quick);
    for (const auto & group : {shared, shared, free, std::shared_ptr<Group>()}) {
      const std::size_t at = chain.size();
      chain.push_back(add_function(
        *executor, "c" + std::to_string(at), [this, at](const Run &) { step(at); }, group));
    }
  }

  void step(std::size_t at)
  {
    t_watched = true;
    if (at == 0) {
      ++rounds;
      if (rounds == kWarmUp) {
        before = after = counts();
      } else if (rounds > kWarmUp && (rounds - kWarmUp) % kMeasured == 0) {
        const Counts last = std::exchange(after, counts());
        fewest_faults = std::min(fewest_faults, after.faults - last.faults);
        if (--windows == 0 || fewest_faults == 0) {
          executor->cancel();
          return;
        }
      }
    }
    beside();
    executor->ready(*chain[(at + 1) % chain.size()]);
  }

  std::unique_ptr<Executor> executor;
  std::shared_ptr<FunctionCallback> timer;
  std::vector<std::shared_ptr<FunctionCallback>> chain;
  std::function<void()> beside = [] {};  // called in each run
  int rounds = 0;
  int windows = 1;  // of kMeasured rounds; fewer if one has no page fault
  Counts before{}, after{};
  long fewest_faults = std::numeric_limits<long>::max();  // in one window
};

class SteadyState : public testing::TestWithParam<Order>
{
};

TEST_P(SteadyState, allocates_nothing_and_waits_for_no_lock)
{
  Loop loop(GetParam(), false);
  loop.executor->ready(*loop.chain[0]);
  ASSERT_TRUE(loop.executor->spin().ok());
  ASSERT_EQ(loop.rounds, kWarmUp + kMeasured);
  EXPECT_EQ(loop.after.allocations - loop.before.allocations, 0U);
  EXPECT_EQ(loop.after.locks - loop.before.locks, 0U);
  EXPECT_EQ(loop.after.waits - loop.before.waits, 0U);
}

// Threads of a pool and a producer sometimes meet at the set's own mutex (priority-inheriting, held
// for tens of nanoseconds), and at no other lock.
TEST_P(SteadyState, allocates_nothing_and_takes_no_ordinary_lock_in_a_pool_beside_producers)
{
  Loop loop(GetParam(), false, 2);
  std::atomic<bool> over{false};
  const auto fed = add_function(*loop.executor, "fed");
  std::thread producer([&] {
    while (!over) {
      t_watched = true;
      loop.executor->ready(*fed);
      t_watched = false;
      std::this_thread::yield();
    }
  });
  loop.executor->ready(*loop.chain[0]);
  const SpinOutcome outcome = loop.executor->spin();
  over = true;
  producer.join();
  ASSERT_TRUE(outcome.ok());
  ASSERT_GE(loop.rounds, kWarmUp + kMeasured);
  EXPECT_EQ(loop.after.allocations - loop.before.allocations, 0U);
  EXPECT_EQ(loop.after.locks - loop.before.locks, 0U);
  RecordProperty("waits", std::to_string(loop.after.waits - loop.before.waits));
}

// Calls the functions that headers call real-time safe, except those of a dispatch.
TEST_P(SteadyState, allocates_nothing_and_waits_for_no_lock_with_all_that_callbacks_may_do)
{
  Loop loop(GetParam(), false);
  const auto statistics = std::make_shared<StatisticsObserver>();
  ASSERT_TRUE(loop.executor->add_observer(statistics).ok());
  ChainOptions chain;
  chain.name = "all";
  chain.priority = 7;
  chain.deadline = std::chrono::milliseconds(1);
  for (const auto & callback : loop.chain) {
    chain.path.push_back(callback->id());
  }
  ASSERT_TRUE(loop.executor->reconfigure({.more_chains = {chain}}).ok());

  Scheduler & scheduler = loop.executor->scheduler();
  std::uint64_t seen = 0;
  loop.beside = [&] {
    scheduler.set_period(*loop.timer, std::chrono::microseconds(50 + loop.rounds % 50));
    if (loop.rounds % 2 == 0) {
      scheduler.cancel_timer(*loop.timer);
    } else {
      scheduler.reset_timer(*loop.timer, now());
    }
    seen += scheduler.timer_cancelled(*loop.timer) ? 1 : 0;
    seen += scheduler.next_release(*loop.timer) == kNever ? 1 : 0;
    seen += loop.chain[0]->backlog() + loop.chain[0]->overwritten();
    seen += loop.timer->skipped_periods() + (loop.chain[0]->group().busy() ? 1 : 0);
    seen += scheduler.running(*loop.chain[0]) && current_run() != nullptr ? 1 : 0;
    seen += current_executor() == loop.executor.get() ? 1 : 0;
    const MiddlewareCeilingScope scope;
  };
  loop.executor->ready(*loop.chain[0]);
  ASSERT_TRUE(loop.executor->spin().ok());
  ASSERT_EQ(loop.rounds, kWarmUp + kMeasured);
  EXPECT_GT(seen, 0U);
  EXPECT_GE(
    statistics->callbacks()[1]->execution.moments.count(), static_cast<std::uint64_t>(kMeasured));
  EXPECT_EQ(loop.after.allocations - loop.before.allocations, 0U);
  EXPECT_EQ(loop.after.locks - loop.before.locks, 0U);
  EXPECT_EQ(loop.after.waits - loop.before.waits, 0U);
}

TEST_P(SteadyState, has_no_page_fault_with_locked_memory)
{
  Loop loop(GetParam(), true);
  loop.windows =
    10;  // the kernel may move pages in some windows; a faulting dispatch faults in all
  loop.executor->ready(*loop.chain[0]);
  const SpinOutcome outcome = loop.executor->spin();
  if (!outcome.ok()) {
    GTEST_SKIP() << "memory cannot be locked here: " << outcome.faults.front();
  }
  EXPECT_EQ(loop.fewest_faults, 0);
}

INSTANTIATE_TEST_SUITE_P(
  orders, SteadyState,
  testing::Values(Order::priority, Order::fifo, Order::edf, Order::window, Order::stock),
  [](const auto & test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace takt_core::test
