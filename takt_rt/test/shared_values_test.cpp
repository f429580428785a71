// Values under a lock or in one word: AtomicValue, Box, RobustMutex.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "takt_rt/atomic_value.hpp"
#include "takt_rt/box.hpp"
#include "takt_rt/robust_mutex.hpp"

namespace takt_rt
{
namespace
{

TEST(AtomicValue, GetsSetsAndExchanges)
{
  AtomicValue<double> value(1.5);
  EXPECT_EQ(value.get(), 1.5);
  value.set(2.5);
  EXPECT_EQ(value.exchange(3.5), 2.5);
  EXPECT_EQ(value.modify([](double old) { return old + 1.0; }), 4.5);
  EXPECT_EQ(value.get(), 4.5);
}

TEST(AtomicValue, LosesNoChangeOfSeveralThreads)
{
  constexpr int kThreads = 4;
  constexpr int kChanges = 50000;
  struct Pair
  {
    std::int32_t up;
    std::int32_t down;
  };
  AtomicValue<Pair> value(Pair{0, 0});
  std::atomic<std::uint64_t> torn{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int change = 0; change < kChanges; ++change) {
        const Pair pair = value.modify([](Pair old) { return Pair{old.up + 1, old.down - 1}; });
        torn += pair.up != -pair.down ? 1 : 0;
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(value.get().up, kThreads * kChanges);
}

TEST(Box, SetsGetsAndVisits)
{
  Box<std::string> box("one");
  EXPECT_EQ(box.get(), "one");
  box.set("two");
  std::string text;
  EXPECT_TRUE(box.try_get(text));
  EXPECT_EQ(text, "two");
  EXPECT_TRUE(box.try_set("three"));
  EXPECT_EQ(box.with([](std::string & value) { return (value += "!").size(); }), 6U);
  EXPECT_EQ(box.get(), "three!");
}

TEST(Box, TriesInVainWhileAnotherThreadHoldsIt)
{
  Box<int> box(1);
  box.with([&](int &) {
    std::thread([&] {
      int value = -1;
      EXPECT_FALSE(box.try_get(value));
      EXPECT_FALSE(box.try_set(2));
      EXPECT_EQ(value, -1);
    }).join();
  });
  EXPECT_TRUE(box.try_set(3));
  EXPECT_EQ(box.get(), 3);
}

TEST(Box, GivesWholeValuesToAllThreads)
{
  constexpr std::uint64_t kWrites = 20000;
  using Wide = std::array<std::uint64_t, 16>;
  Box<Wide> box(Wide{});
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> torn{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      Wide wide{};
      while (!stop) {
        if (box.try_get(wide)) {
          for (const std::uint64_t word : wide) {
            torn += word != wide[0] ? 1 : 0;
          }
        }
      }
    });
  }
  Wide wide{};
  for (std::uint64_t i = 1; i <= kWrites; ++i) {
    wide.fill(i);
    box.set(wide);
  }
  stop = true;
  for (std::thread & reader : readers) {
    reader.join();
  }
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(box.get()[0], kWrites);
}

TEST(RobustMutex, ReportsMisuseAsAValue)
{
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer reports the misuse, too";
#endif
  RobustMutex mutex;
  EXPECT_FALSE(mutex.release());
  EXPECT_EQ(mutex.acquire(), LockResult::locked);
  EXPECT_EQ(mutex.acquire(), LockResult::deadlock);
  std::thread([&] {
    EXPECT_EQ(mutex.try_acquire(), LockResult::busy);
    EXPECT_FALSE(mutex.release());
  }).join();
  EXPECT_TRUE(mutex.release());
  EXPECT_EQ(mutex.try_acquire(), LockResult::locked);
  EXPECT_TRUE(mutex.release());
  EXPECT_EQ(mutex.owners_ended(), 0U);
}

TEST(RobustMutex, SurvivesAHolderThatEnds)
{
  RobustMutex mutex;
  std::thread([&] { ASSERT_EQ(mutex.acquire(), LockResult::locked); }).join();
  EXPECT_EQ(mutex.acquire(), LockResult::owner_ended);
  EXPECT_TRUE(mutex.release());
  EXPECT_EQ(mutex.acquire(), LockResult::locked) << "it is consistent again";
  EXPECT_TRUE(mutex.release());
  std::thread([&] { ASSERT_EQ(mutex.try_acquire(), LockResult::locked); }).join();
  EXPECT_EQ(mutex.try_acquire(), LockResult::owner_ended);
  EXPECT_TRUE(mutex.release());
  EXPECT_EQ(mutex.owners_ended(), 2U);
}

TEST(RobustMutex, AdmitsOneThreadAtATime)
{
  constexpr int kThreads = 4;
  constexpr int kRounds = 10000;
  RobustMutex mutex;
  int plain = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const std::lock_guard lock(mutex);
        ++plain;
      }
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(plain, kThreads * kRounds);
}

TEST(RobustMutexDeathTest, MisuseOfTheFunctionsWithoutAResultEndsTheProcess)
{
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
    {
      RobustMutex mutex;
      mutex.unlock();
    },
    "RobustMutex unlock: the calling thread does not hold it");
  EXPECT_DEATH(
    {
      RobustMutex mutex;
      mutex.lock();
      mutex.lock();
    },
    "RobustMutex lock: the calling thread holds it already");
}

}  // namespace
}  // namespace takt_rt
