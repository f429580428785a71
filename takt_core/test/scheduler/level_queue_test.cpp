// The queue of `priority` and `fifo`: sorted for work in any order, at a cost that does not grow
// with the number of waiting callbacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <set>

#include "support/by_hand.hpp"

namespace takt_core::test
{
namespace
{

TEST(LevelQueue, sorts_releases_that_come_in_no_order)
{
  constexpr int kCallbacks = 500;
  ByHand hand(1, Order::priority);
  std::mt19937 random(7);
  std::vector<std::shared_ptr<SilentCallback>> callbacks;
  for (int i = 0; i < kCallbacks; ++i) {
    Binding binding;
    binding.priority = 1 + i % 3;
    callbacks.push_back(hand.add(std::to_string(i), nullptr, binding));
  }
  struct Waiting
  {
    int priority;
    std::int64_t release;
    int index;
    bool operator<(const Waiting & other) const
    {
      return priority != other.priority ? priority > other.priority : release < other.release;
    }
  };
  // In each round some callbacks start, some get another priority and some new ones come.
  std::set<Waiting> model;
  std::int64_t now = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<int> order(kCallbacks);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::int64_t> releases;
    for (int i = 0; i < kCallbacks; ++i) {
      releases.push_back(++now);
    }
    std::shuffle(releases.begin(), releases.end(), random);
    for (int i = 0; i < kCallbacks; ++i) {
      SilentCallback & callback = *callbacks[order[i]];
      if (callback.backlog() == 0) {
        hand.scheduler.ready(callback, 1, ms(releases[i]));
        model.insert({*hand.scheduler.binding(callback)->priority, releases[i], order[i]});
      }
      if (i % 7 == 0) {
        ASSERT_EQ(hand.run_one(0, ms(now)), std::to_string(model.begin()->index));
        model.erase(model.begin());
      }
    }
    for (int i = 0; i < 20; ++i) {
      const auto changed = std::next(model.begin(), random() % model.size());
      const Waiting at{static_cast<int>(1 + random() % 3), changed->release, changed->index};
      ASSERT_TRUE(hand.scheduler.set_priority(*callbacks[changed->index], at.priority).ok());
      model.erase(changed);
      model.insert(at);
    }
    for (std::size_t i = model.size() / 2; i > 0; --i) {
      ASSERT_EQ(hand.run_one(0, ms(now)), std::to_string(model.begin()->index));
      model.erase(model.begin());
    }
  }
}

// Checks a ratio, not a duration. If sorting walked the list, it would take several hundred times
// as long.
TEST(LevelQueue, of_work_in_no_order_costs_little_more_than_of_work_in_order)
{
  constexpr int kCallbacks = 20'000;
  ByHand hand(1);
  std::vector<std::shared_ptr<SilentCallback>> callbacks;
  for (int i = 0; i < kCallbacks; ++i) {
    callbacks.push_back(hand.add(std::to_string(i)));
  }
  std::vector<std::int64_t> releases(kCallbacks);
  std::iota(releases.begin(), releases.end(), 0);
  const auto time = [&] {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < kCallbacks; ++i) {
      hand.scheduler.ready(*callbacks[i], 1, ms(releases[i]));
    }
    for (int i = 0; i < kCallbacks; ++i) {
      EXPECT_NE(hand.run_one(0, ms(kCallbacks)), "-");
    }
    return std::chrono::steady_clock::now() - began;
  };
  std::mt19937 random(3);
  auto in_order = std::chrono::steady_clock::duration::max();
  auto shuffled = in_order;
  for (int i = 0; i < 5; ++i) {  // the best of five: a busy machine may stop some
    std::sort(releases.begin(), releases.end());
    in_order = std::min(in_order, time());
    std::shuffle(releases.begin(), releases.end(), random);
    shuffled = std::min(shuffled, time());
  }
  EXPECT_LT(shuffled / in_order, 20);
}

}  // namespace
}  // namespace takt_core::test
