// Going to sleep against announcing, on real threads: every message is consumed without the help of
// a timer. Time limits only guard against hanging.
#include <gtest/gtest.h>

#include <random>

#include "support/driver.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

struct Case
{
  std::uint32_t threads;
  std::uint32_t producers;
  Order order;
  bool overlapping;  // callbacks bound to several overlapping sets
};

class WakeStress : public testing::TestWithParam<Case>
{
protected:
  void build(Driver & driver)
  {
    const std::uint32_t threads = GetParam().threads;
    for (std::uint32_t i = 0; i < 2 * threads; ++i) {
      CallbackOptions options;
      options.id = "c" + std::to_string(i);
      options.kind = Kind::subscription;
      options.depth = 64;
      if (i % 3 == 0) {
        options.group = std::make_shared<Group>(GroupKind::reentrant);
      }
      counters.push_back(std::make_shared<Counter>(options));
      Binding binding;
      binding.priority = static_cast<int>(i % 4);
      binding.publishes_last = i % 2 == 1;
      if (GetParam().overlapping) {
        binding.threads = ThreadMask{1} << i % threads | ThreadMask{1} << (i / 2) % threads;
      }
      const Status added = driver.scheduler.add(counters.back(), binding);
      ASSERT_TRUE(added.ok()) << added.faults().front();
    }
  }

  std::vector<std::shared_ptr<Counter>> counters;
};

// Each producer waits for its message before it sends the next: threads go to sleep continually.
TEST_P(WakeStress, no_message_is_left_lying_when_threads_fall_asleep)
{
  Driver driver(GetParam().threads, GetParam().order);
  build(driver);
  driver.start();
  std::atomic<bool> stuck{false};
  std::vector<std::thread> producers;
  for (std::uint32_t p = 0; p < GetParam().producers; ++p) {
    producers.emplace_back([&, p] {
      std::mt19937 random(seed() + p);
      Counter & counter = *counters[p % counters.size()];  // each producer has its own callback
      for (std::uint64_t i = 1; i <= rounds(15000) && !stuck.load(); ++i) {
        driver.scheduler.ready(counter, 1, now());
        for (std::uint32_t spins = random() % 64; spins > 0; --spins) {
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        if (!Driver::wait_for([&] { return counter.runs.load() >= i || stuck.load(); })) {
          stuck.store(true);
        }
      }
    });
  }
  for (std::thread & producer : producers) {
    producer.join();
  }
  driver.stop();
  EXPECT_FALSE(stuck.load()) << "a message was not consumed";
  for (const auto & counter : counters) {
    EXPECT_EQ(counter->overlaps.load(), 0U);
  }
}

// Callbacks announce other callbacks from inside; the last announcement under way must not get lost
// either.
TEST_P(WakeStress, no_token_is_lost_while_callbacks_announce_each_other)
{
  Driver driver(GetParam().threads, GetParam().order);
  build(driver);
  constexpr std::uint64_t kTokens = 3;
  const std::uint64_t hops = rounds(150000);
  std::atomic<std::uint64_t> passed{0};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    Counter * const next = counters[(i * 7 + 1) % counters.size()].get();
    counters[i]->body = [&, next](const auto &) {
      if (passed.fetch_add(1) + kTokens < hops) {
        driver.scheduler.ready(*next, 1, now());
      }
    };
  }
  driver.start();
  for (std::uint64_t t = 0; t < kTokens; ++t) {
    driver.scheduler.ready(*counters[t % counters.size()], 1, now());
  }
  EXPECT_TRUE(Driver::wait_for([&] { return passed.load() >= hops - kTokens; }))
    << passed.load() << " of " << hops << " hops";
  driver.stop();
}

INSTANTIATE_TEST_SUITE_P(
  all, WakeStress,
  testing::Values(
    Case{1, 1, Order::fifo, false}, Case{1, 4, Order::priority, false},
    Case{2, 4, Order::fifo, false}, Case{4, 2, Order::priority, false},
    Case{4, 8, Order::edf, false}, Case{3, 4, Order::window, false},
    Case{3, 4, Order::stock, false}, Case{3, 4, Order::priority, true},
    Case{4, 6, Order::fifo, true}));

}  // namespace
}  // namespace takt_core::test
