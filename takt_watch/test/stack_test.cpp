// Stacks of a thread that computes, of one that sleeps, and of one that blocks signals.
#include "kernel/stack.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "kernel/interrupted_stack.hpp"
#include "kernel/kernel_figures.hpp"

namespace takt_watch_stack_test
{

std::atomic<bool> g_ends{false};
std::atomic<std::uint64_t> g_rounds{0};

// A visible symbol, so that the stack can show its name.
__attribute__((noinline, visibility("default"))) void compute_for_ever()
{
  while (!g_ends.load(std::memory_order_relaxed)) {
    g_rounds.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace takt_watch_stack_test

namespace takt_watch
{
namespace
{

using takt_watch_stack_test::compute_for_ever;
using takt_watch_stack_test::g_ends;
using takt_watch_stack_test::g_rounds;

// The thread sanitizer delivers signals only when the thread calls the C library.
#ifdef __SANITIZE_THREAD__
constexpr bool kHoldsSignalsBack = true;
#else
constexpr bool kHoldsSignalsBack = false;
#endif

std::string joined(const std::vector<std::string> & lines)
{
  return std::accumulate(
    lines.begin(), lines.end(), std::string(),
    [](const std::string & all, const std::string & line) { return all + line + "\n"; });
}

/// A thread that runs `function`, with its id.
class Thread
{
public:
  template <typename Function>
  explicit Thread(Function function)
  : thread_([this, function] {
      tid_.store(static_cast<pid_t>(::syscall(SYS_gettid)));
      function();
    })
  {
    while (tid_.load() == 0) {
      std::this_thread::yield();
    }
  }
  ~Thread() { join(); }
  Thread(const Thread &) = delete;
  Thread & operator=(const Thread &) = delete;

  void join()
  {
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  pid_t tid() const { return tid_.load(); }
  void wait_until_asleep() const
  {
    while (state_of(tid()) != 'S') {
      std::this_thread::yield();
    }
  }

private:
  std::atomic<pid_t> tid_{0};
  std::thread thread_;
};

bool always()
{
  return true;
}

TEST(Stack, of_a_thread_that_computes_names_the_function)
{
  if (kHoldsSignalsBack) {
    GTEST_SKIP() << "ThreadSanitizer holds signals back";
  }
  g_ends.store(false);
  Thread thread(&compute_for_ever);
  const std::uint64_t begun = g_rounds.load();
  while (g_rounds.load() == begun) {
    std::this_thread::yield();
  }
  std::vector<std::string> stack;
  // Ask again: another thread may keep the core for longer than one call waits.
  for (int i = 0; i < 100 && joined(stack).find("compute_for_ever") == std::string::npos; ++i) {
    stack = stack_of(thread.tid(), &always);
  }
  EXPECT_NE(joined(stack).find("compute_for_ever()+0x"), std::string::npos) << joined(stack);
  EXPECT_EQ(joined(stack).find("answer"), std::string::npos)
    << "its handler is not the thread's work";
  g_ends.store(true);
}

TEST(Stack, of_a_thread_that_sleeps_says_where_and_does_not_wake_it)
{
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::atomic<ssize_t> got{-2};
  Thread thread([&] {
    char byte = 0;
    got.store(::read(ends[0], &byte, 1));
  });
  thread.wait_until_asleep();
  const std::string stack = joined(stack_of(thread.tid(), &always));
  EXPECT_NE(stack.find("system call: read\n"), std::string::npos) << stack;
  EXPECT_EQ(got.load(), -2) << "its sleep was interrupted";
  EXPECT_EQ(::write(ends[1], "x", 1), 1);
  thread.join();
  EXPECT_EQ(got.load(), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Stack, a_thread_that_blocks_signals_is_given_up)
{
  g_ends.store(false);
  Thread thread([] {
    sigset_t all{};
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    compute_for_ever();
    ::pthread_sigmask(SIG_UNBLOCK, &all, nullptr);  // the late signal comes, and must do nothing
  });
  const std::uint64_t begun = g_rounds.load();
  while (g_rounds.load() == begun) {  // after this round the thread blocks the signals
    std::this_thread::yield();
  }
  EXPECT_TRUE(interrupted_stack(thread.tid(), std::chrono::milliseconds(5)).empty());
  EXPECT_TRUE(interrupted_stack(thread.tid(), std::chrono::milliseconds(5)).empty());
  g_ends.store(true);
  thread.join();
}

TEST(Stack, of_no_thread_and_of_another_run_is_empty)
{
  EXPECT_TRUE(stack_of(0x7fffffff, &always).empty());
  EXPECT_TRUE(stack_of(static_cast<pid_t>(::getpid()), [] { return false; }).empty());
}

TEST(Stack, a_signal_that_the_program_took_over_is_not_sent_any_more)
{
  if (kHoldsSignalsBack) {
    GTEST_SKIP() << "ThreadSanitizer has a handler of its own between";
  }
  const pid_t self = static_cast<pid_t>(::syscall(SYS_gettid));
  static_cast<void>(interrupted_stack(self, std::chrono::milliseconds(50)));
  const int first = stack_signal();
  ASSERT_NE(first, 0);
  static std::atomic<int> taken{0};
  struct sigaction own
  {
  };
  own.sa_handler = [](int) { taken.fetch_add(1); };
  ASSERT_EQ(::sigaction(first, &own, nullptr), 0);
  EXPECT_FALSE(interrupted_stack(self, std::chrono::milliseconds(50)).empty());
  EXPECT_NE(stack_signal(), first);
  EXPECT_EQ(taken.load(), 0);
}

TEST(Stack, system_calls_have_names)
{
  EXPECT_EQ(system_call_name(SYS_futex), "futex");
  EXPECT_EQ(system_call_name(99999), "99999");
}

}  // namespace
}  // namespace takt_watch
