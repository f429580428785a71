// Graphs under real threads: each message has its run, and no callback starts before its publisher
// has returned.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "support/driver.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

// root → left, right and far; left and right → join, which has two callbacks in one group.
class GraphStress : public testing::TestWithParam<Order>
{
protected:
  static constexpr std::size_t kCallbacks = 6;
  enum : std::size_t
  {
    root,
    left,
    right,
    far,
    join_left,
    join_right
  };

  GraphStress() : driver(3, GetParam())
  {
    const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
    for (std::size_t i = 0; i < kCallbacks; ++i) {
      CallbackOptions options;
      options.id = "c" + std::to_string(i);
      options.kind = Kind::subscription;
      options.group = i >= join_left ? group : nullptr;
      options.depth = 1 << 12;
      all[i] = std::make_shared<Counter>(options);
      all[i]->inside = i >= join_left ? &inside : nullptr;
    }
    all[root]->body = [this](const takt_core::Run &) { publish(root, {far, right, left}); };
    all[left]->body = [this](const takt_core::Run &) {
      check(root, left), publish(left, {join_left});
    };
    all[right]->body = [this](const takt_core::Run &) {
      check(root, right), publish(right, {join_right});
    };
    all[far]->body = [this](const takt_core::Run &) { check(root, far); };
    all[join_left]->body = [this](const takt_core::Run &) { check(left, join_left); };
    all[join_right]->body = [this](const takt_core::Run &) { check(right, join_right); };
  }

  void add()
  {
    for (std::size_t i = 0; i < kCallbacks; ++i) {
      Binding binding;
      binding.sequence = SequencePlace{0, static_cast<std::uint32_t>(i), true};
      ASSERT_TRUE(driver.scheduler.add(all[i], binding));
    }
  }

  void publish(std::size_t from, std::initializer_list<std::size_t> to)
  {
    for (const std::size_t i : to) {
      driver.scheduler.ready(*all[i], 1, now());
    }
    returning[from].fetch_add(1);  // the last step of the run
  }

  // Before the callback's n-th run begins, n runs of its publisher must have returned.
  void check(std::size_t publisher, std::size_t own)
  {
    early.fetch_add(returning[publisher].load() < all[own]->runs.load() + 1 ? 1 : 0);
  }

  // Feeds iterations. Several of them may be in progress at once.
  void feed(std::uint64_t iterations)
  {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      // Wait, so that no history overflows.
      while (std::any_of(std::begin(all), std::end(all), [i](const auto & one) {
        return one->runs.load() + 1000 < i;
      })) {
        std::this_thread::yield();
      }
      driver.scheduler.ready(*all[root], 1, now());
    }
  }
  // Feeds iterations, each after the end of the previous one.
  void feed_one_by_one(std::uint64_t iterations)
  {
    for (std::uint64_t i = 1; i <= iterations; ++i) {
      driver.scheduler.ready(*all[root], 1, now());
      ASSERT_TRUE(Driver::wait_for([&] {
        return std::all_of(
          std::begin(all), std::end(all), [i](const auto & one) { return one->runs.load() == i; });
      }))
        << "iteration " << i;
    }
  }

  void expect_all(std::uint64_t iterations)
  {
    for (std::size_t i = 0; i < kCallbacks; ++i) {
      EXPECT_TRUE(Driver::wait_for([&] { return all[i]->runs.load() >= iterations; }))
        << i << ": " << all[i]->runs.load() << " of " << iterations;
    }
    driver.stop();
    for (std::size_t i = 0; i < kCallbacks; ++i) {
      EXPECT_EQ(all[i]->runs.load(), iterations) << i;
      EXPECT_EQ(all[i]->overlaps.load(), 0U) << i;
    }
  }

  Driver driver;
  std::atomic<int> inside{0};
  std::shared_ptr<Counter> all[kCallbacks];
  std::atomic<std::uint64_t> returning[kCallbacks]{};
  std::atomic<std::uint64_t> early{0};
};

TEST_P(GraphStress, no_callback_starts_before_its_publisher_has_returned)
{
  add();
  driver.start();
  const std::uint64_t iterations = rounds(5'000);
  feed_one_by_one(iterations);
  expect_all(iterations);
  EXPECT_EQ(early.load(), 0U);
}

TEST_P(GraphStress, overlapping_iterations_lose_no_message)
{
  add();
  driver.start();
  const std::uint64_t iterations = rounds(30'000);
  feed(iterations);
  expect_all(iterations);
}

TEST_P(GraphStress, new_bindings_and_priorities_lose_no_message)
{
  add();
  driver.start();
  std::atomic<bool> over{false};
  std::thread set_up([&] {
    std::mt19937 random(seed());
    const ThreadMask sets[] = {0b111, 0b011, 0b110, 0b100};
    while (!over.load()) {
      Callback & callback = *all[random() % kCallbacks];
      EXPECT_TRUE(driver.scheduler.bind(callback, sets[random() % 4]));
      EXPECT_TRUE(driver.scheduler.set_priority(callback, static_cast<int>(random() % 3)));
    }
  });
  const std::uint64_t iterations = rounds(10'000);
  feed(iterations);
  over.store(true);
  set_up.join();
  expect_all(iterations);
}

INSTANTIATE_TEST_SUITE_P(
  Orders, GraphStress, testing::Values(Order::priority, Order::fifo, Order::edf),
  [](const auto & info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace takt_core::test
