// The kernel's account of the time for which the calling thread was ready without a core.
#include "takt_rt/ready_time.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

TEST(ReadyTime, GrowsWhileAnotherThreadHasTheCore)
{
  ReadyTime account;
  account.read();
  if (!account.counted()) {
    GTEST_SKIP() << "this kernel keeps no account";
  }
  const int core = usable_cores().front();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    apply({.cores = {core}});
    while (!stop.load()) {
    }
  });
  const ThreadAttributes before = read_attributes();
  apply({.cores = {core}});
  const Duration first = account.read();
  Duration now = first;
  // Two busy threads share one core: whichever has it, the other one waits.
  while (now - first < 5ms) {
    now = account.read();
  }
  stop = true;
  other.join();
  apply({.cores = before.cores});
  EXPECT_TRUE(account.counted());
}

TEST(ReadyTime, SaysWhenOtherThreadsExplainALateness)
{
  EXPECT_TRUE(waited_for_others(1000us, 1000us));
  EXPECT_TRUE(waited_for_others(1000us, 500us));
  EXPECT_FALSE(waited_for_others(1000us, 499us));
}

}  // namespace
}  // namespace takt_rt
