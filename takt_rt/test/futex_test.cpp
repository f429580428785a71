#include "takt_rt/futex.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <latch>
#include <thread>
#include <vector>

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

TEST(Futex, ReturnsAtOnceWhenTheWordHasChanged)
{
  const std::atomic<std::uint32_t> word{1};
  EXPECT_EQ(futex_wait(word, 0), WaitResult::changed);
  EXPECT_EQ(futex_wait(word, 0, from_ns(0)), WaitResult::changed);
}

TEST(Futex, ADeadlineInThePastIsAPoll)
{
  const std::atomic<std::uint32_t> word{0};
  EXPECT_EQ(futex_wait(word, 0, now()), WaitResult::timed_out);
  EXPECT_EQ(futex_wait(word, 0, from_ns(0)), WaitResult::timed_out);
  EXPECT_EQ(futex_wait(word, 0, Time::min()), WaitResult::timed_out);
}

TEST(Futex, DoesNotTimeOutBeforeTheDeadline)
{
  const std::atomic<std::uint32_t> word{0};
  const Time deadline = now() + 3ms;
  while (futex_wait(word, 0, deadline) != WaitResult::timed_out) {
  }
  EXPECT_GE(now(), deadline);
}

TEST(Futex, WakesExactlyAsManyAsAsked)
{
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (futex_wait(word, 0) != WaitResult::woken) {
      }
      ++woken;
    });
  }
  // Each call returns the number of sleepers that it woke, so this ends when all three have slept.
  for (int left = 3; left > 0;) {
    const int now_woken = futex_wake(word, 1);
    ASSERT_LE(now_woken, 1);
    left -= now_woken;
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(futex_wake(word, 100), 0);
}

AwaitedWord own(const std::atomic<std::uint32_t> & word, std::uint32_t expected)
{
  return {&word, expected, false};
}

TEST(FutexWaitAny, ReturnsAtOnceWhenOneWordHasChanged)
{
  const std::atomic<std::uint32_t> first{1};
  const std::atomic<std::uint32_t> second{2};
  const AwaitedWord words[] = {own(first, 1), own(second, 1)};
  EXPECT_EQ(futex_wait_any(words, 2), WaitResult::changed);
  EXPECT_EQ(futex_wait_any(words, 1, now()), WaitResult::timed_out);
}

TEST(FutexWaitAny, AWakeUpOfAnyWordEndsTheSleepOfOneThread)
{
  std::atomic<std::uint32_t> first{0};
  std::atomic<std::uint32_t> second{0};
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const AwaitedWord words[] = {own(first, 0), {&second, 0, true}};
      while (futex_wait_any(words, 2) != WaitResult::woken) {
      }
      ++woken;
    });
  }
  for (int done = 0; done < 3;) {
    const int now_woken = done == 1 ? futex_wake(first, 1) : futex_wake_shared(second, 1);
    ASSERT_LE(now_woken, 1);
    done += now_woken;
    // Until it runs, a woken thread counts as a sleeper on its other words.
    while (woken < done) {
      std::this_thread::yield();
    }
    ASSERT_EQ(woken, done);
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(woken, 3);
}

TEST(FutexWaitAny, TheKernelHasIt)
{
  errno = ERANGE;
  EXPECT_TRUE(has_futex_wait_any());
  EXPECT_EQ(errno, ERANGE);
}

TEST(Futex, KeepsErrno)
{
  const std::atomic<std::uint32_t> word{0};
  errno = ERANGE;
  (void)futex_wait(word, 1);
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(futex_wake(word, 1), 0);
  EXPECT_EQ(errno, ERANGE);
}

TEST(Futex, HandsAWordBackAndForthWithoutALostWakeUp)
{
  constexpr std::uint32_t kRounds = 20000;
  std::atomic<std::uint32_t> word{0};
  std::uint64_t plain = 0;  // only the word orders it; ThreadSanitizer checks
  const auto play = [&](std::uint32_t parity) {
    for (;;) {
      const std::uint32_t seen = word.load(std::memory_order_acquire);
      if (seen >= kRounds) {
        return;
      }
      if (seen % 2 != parity) {
        (void)futex_wait(word, seen);
        continue;
      }
      ++plain;
      word.store(seen + 1, std::memory_order_release);
      futex_wake(word, 1);
    }
  };
  std::thread other(play, 1U);
  play(0U);
  other.join();
  EXPECT_EQ(plain, kRounds);
}

/// Installs a handler for SIGUSR1 that does not restart system calls, and takes it away again.
class ScopedHandler
{
public:
  explicit ScopedHandler(void (*handler)(int))
  {
    struct sigaction action
    {
    };
    action.sa_handler = handler;
    ::sigaction(SIGUSR1, &action, &previous_);
  }
  ~ScopedHandler() { ::sigaction(SIGUSR1, &previous_, nullptr); }
  ScopedHandler(const ScopedHandler &) = delete;
  ScopedHandler & operator=(const ScopedHandler &) = delete;

private:
  struct sigaction previous_
  {
  };
};

TEST(Futex, SaysWhenASignalHandlerInterruptedIt)
{
  const ScopedHandler handler([](int) {});
  const std::atomic<std::uint32_t> word{0};
  std::atomic<bool> returned{false};
  WaitResult result = WaitResult::woken;
  std::thread waiter([&] {
    result = futex_wait(word, 0);
    returned = true;
  });
  while (!returned) {  // repeatedly: the first signal may come before the sleep
    ::pthread_kill(waiter.native_handle(), SIGUSR1);
    std::this_thread::yield();
  }
  waiter.join();
  EXPECT_EQ(result, WaitResult::interrupted);
}

std::atomic<std::uint32_t> g_word{0};

TEST(Futex, WakesFromASignalHandler)
{
  const ScopedHandler handler([](int) {
    g_word.store(1, std::memory_order_release);
    futex_wake(g_word, 1);
  });
  std::thread waiter([] {
    while (g_word.load(std::memory_order_acquire) == 0) {
      (void)futex_wait(g_word, 0);
    }
  });
  ::raise(SIGUSR1);
  waiter.join();
  EXPECT_EQ(g_word, 1U);
}

TEST(Futex, WakesASleeperInAnotherProcess)
{
  void * const memory =
    ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto & word = *new (memory) std::atomic<std::uint32_t>{0};
  const pid_t child = ::fork();
  if (child == 0) {
    // A waiter may only read.
    ::mprotect(memory, 4096, PROT_READ);
    while (futex_wait_shared(word, 0) != WaitResult::woken) {
    }
    ::_exit(futex_wait_shared(word, 1) == WaitResult::changed ? 0 : 1);
  }
  EXPECT_EQ(futex_wake(word, 1), 0) << "the private function finds no sleeper of another process";
  // Returns the number of sleepers that it woke, so this ends when the child has slept.
  while (futex_wake_shared(word, 1) == 0) {
    ::sched_yield();
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::munmap(memory, 4096);
}

}  // namespace
}  // namespace takt_rt
