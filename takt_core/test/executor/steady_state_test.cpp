// Steady state: per dispatch no heap allocation, no lock that had to wait, and with locked memory no
// page fault. Counts malloc and pthread_mutex_lock of the whole process by interposing them, so this
// is an executable of its own and not for sanitizers.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstdlib>

#include "support/executor_fixture.hpp"
#include "takt_core/memory_lock.hpp"

namespace
{

// Plain thread-local counters: constant initialisation, so usable in the first malloc of a thread.
thread_local std::uint64_t t_allocations = 0;
thread_local std::uint64_t t_waited_locks = 0;
thread_local std::uint64_t t_locks = 0;

}  // namespace

extern "C" {

void * __libc_malloc(std::size_t size);
void * __libc_calloc(std::size_t count, std::size_t size);
void * __libc_realloc(void * memory, std::size_t size);

void * malloc(std::size_t size)
{
  ++t_allocations;
  return __libc_malloc(size);
}

void * calloc(std::size_t count, std::size_t size)
{
  ++t_allocations;
  return __libc_calloc(count, size);
}

void * realloc(void * memory, std::size_t size)
{
  ++t_allocations;
  return __libc_realloc(memory, size);
}

int pthread_mutex_lock(pthread_mutex_t * mutex)
{
  using Lock = int (*)(pthread_mutex_t *);
  static const auto real = reinterpret_cast<Lock>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++t_locks;
  const int tried = ::pthread_mutex_trylock(mutex);
  if (tried == 0) {
    return 0;
  }
  ++t_waited_locks;
  return real(mutex);
}

}  // extern "C"

namespace takt_core::test
{
namespace
{

struct Counts
{
  std::uint64_t allocations, waited_locks, locks;
  long faults;
};

Counts counts()
{
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {t_allocations, t_waited_locks, t_locks, usage.ru_minflt + usage.ru_majflt};
}

TEST(Counters, see_what_they_count)
{
  const Counts before = counts();
  void * volatile first = std::malloc(10);  // volatile: or the compiler leaves it out
  free(first);
  int * volatile second = new int(1);
  delete second;
  PiMutex mutex;
  mutex.lock();
  mutex.unlock();
  const Counts after = counts();
  EXPECT_GE(after.allocations, before.allocations + 2);
  EXPECT_EQ(after.locks, before.locks + 1);
  EXPECT_EQ(after.waited_locks, before.waited_locks);
}

constexpr int kWarmUp = 2000;
constexpr int kMeasured = 20000;

// One thread runs a chain of callbacks that announce each other, with an exclusive group, a
// reentrant one and a timer beside them; the counts are taken on that thread, between two runs.
struct Loop
{
  explicit Loop(Order order, bool lock_memory)
  : executor(make_executor(1, [&](ExecutorOptions & o) {
      o.order = order;
      o.lock_memory = lock_memory;
    }))
  {
    const auto shared = std::make_shared<Group>(GroupKind::mutually_exclusive);
    const auto free = std::make_shared<Group>(GroupKind::reentrant);
    TimerOptions quick;
    quick.period = std::chrono::microseconds(100);
    add_function(*executor, "timer", {}, shared, {}, quick);
    for (const auto & group : {shared, shared, free, std::shared_ptr<Group>()}) {
      const std::size_t at = chain.size();
      chain.push_back(add_function(
        *executor, "c" + std::to_string(at), [this, at](const Run &) { step(at); }, group));
    }
  }

  void step(std::size_t at)
  {
    if (at == 0) {
      ++rounds;
      if (rounds == kWarmUp) {
        before = counts();
      } else if (rounds == kWarmUp + kMeasured) {
        after = counts();
        executor->cancel();
        return;
      }
    }
    executor->ready(*chain[(at + 1) % chain.size()]);
  }

  std::unique_ptr<Executor> executor;
  std::vector<std::shared_ptr<FunctionCallback>> chain;
  int rounds = 0;
  Counts before{}, after{};
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
  EXPECT_EQ(loop.after.waited_locks - loop.before.waited_locks, 0U);
  EXPECT_GT(loop.after.locks, loop.before.locks) << "the counter sees takt's locks";
}

TEST_P(SteadyState, has_no_page_fault_with_locked_memory)
{
  Loop loop(GetParam(), true);
  loop.executor->ready(*loop.chain[0]);
  const SpinOutcome outcome = loop.executor->spin();
  if (!outcome.ok()) {
    GTEST_SKIP() << "memory cannot be locked here: " << outcome.faults.front();
  }
  EXPECT_EQ(loop.after.faults - loop.before.faults, 0);
}

INSTANTIATE_TEST_SUITE_P(
  orders, SteadyState,
  testing::Values(Order::priority, Order::fifo, Order::edf, Order::window, Order::stock),
  [](const auto & test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace takt_core::test
