// More than 10^5 rebindings, priority changes, removals and timer resets under load on real
// threads.
#include <gtest/gtest.h>

#include <random>

#include "support/driver.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

class RebindingStress : public testing::TestWithParam<Order>
{
protected:
  std::shared_ptr<Counter> make(
    const std::string & id, std::shared_ptr<Group> group, std::optional<TimerOptions> timer = {})
  {
    CallbackOptions options;
    options.id = id;
    options.kind = timer ? Kind::timer : Kind::subscription;
    options.group = std::move(group);
    options.timer = timer;
    options.depth = 1 << 12;
    return std::make_shared<Counter>(options);
  }
};

TEST_P(RebindingStress, a_hundred_thousand_rebindings_under_load_lose_and_double_nothing)
{
  Driver driver(3, GetParam());
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  const auto free = std::make_shared<Group>(GroupKind::reentrant);
  std::atomic<int> inside{0};
  std::vector<std::shared_ptr<Counter>> counters;
  for (int i = 0; i < 6; ++i) {
    counters.push_back(make("c" + std::to_string(i), i < 3 ? group : i < 5 ? free : nullptr));
    counters.back()->inside = i < 3 ? &inside : nullptr;
    Binding binding;
    binding.threads = ThreadMask{1} << i % 3;
    ASSERT_TRUE(driver.scheduler.add(counters.back(), binding));
  }
  TimerOptions quick;
  quick.period = std::chrono::microseconds(200);
  const auto timer = make("timer", group, quick);
  timer->inside = &inside;
  Binding first;
  first.threads = 1;
  ASSERT_TRUE(driver.scheduler.add(timer, first));
  driver.start();

  std::atomic<bool> over{false};
  std::vector<std::uint64_t> announced(counters.size(), 0);
  std::thread producer([&] {
    std::mt19937 random(seed());
    while (!over.load()) {
      const std::size_t at = random() % counters.size();
      if (counters[at]->backlog() < 4000) {
        driver.scheduler.ready(*counters[at], 1, now());
        ++announced[at];
      } else {
        std::this_thread::yield();
      }
    }
  });
  std::mt19937 random(seed() + 1);
  const ThreadMask sets[] = {0b001, 0b010, 0b100, 0b011, 0b110, 0b111};
  const std::size_t choices = has_windows(GetParam()) ? 3 : 6;
  const auto runs = [&] {
    std::uint64_t sum = 0;
    for (const auto & counter : counters) {
      sum += counter->runs.load();
    }
    return sum;
  };
  // Continues until there were at least this many rebindings, and this many runs meanwhile.
  for (std::uint64_t i = 0; i < rounds(100'000) || runs() < rounds(50'000); ++i) {
    Callback & callback = i % 16 == 0 ? *timer : *counters[random() % counters.size()];
    ASSERT_TRUE(driver.scheduler.bind(callback, sets[random() % choices]));
    if (i % 5 == 0) {
      ASSERT_TRUE(driver.scheduler.set_priority(callback, static_cast<int>(random() % 5)));
    }
    if (i % 32 == 0) {
      driver.scheduler.reset_timer(*timer, now());
    }
  }
  over.store(true);
  producer.join();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    EXPECT_TRUE(Driver::wait_for([&] { return counters[i]->runs.load() >= announced[i]; }))
      << counters[i]->runs.load() << " of " << announced[i];
  }
  const std::uint64_t ticks = timer->runs.load();
  driver.scheduler.reset_timer(*timer, now());
  EXPECT_TRUE(Driver::wait_for([&] { return timer->runs.load() > ticks + 3; })) << "timer is dead";
  driver.stop();
  for (std::size_t i = 0; i < counters.size(); ++i) {
    EXPECT_EQ(counters[i]->runs.load(), announced[i]);
    EXPECT_EQ(counters[i]->overlaps.load(), 0U);
  }
}

TEST_P(RebindingStress, adding_and_removing_under_load_leaves_the_others_alone)
{
  Driver driver(3, GetParam());
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  std::atomic<int> inside{0};
  const auto stays = make("stays", group);
  stays->inside = &inside;
  ASSERT_TRUE(driver.scheduler.add(stays));
  driver.start();
  std::uint64_t announced = 0;
  std::mt19937 random(seed());
  for (std::uint64_t i = 0; i < rounds(2000); ++i) {
    TimerOptions quick;
    quick.period = std::chrono::microseconds(50);
    const bool ticks = i % 3 == 0;
    const auto passing = make(
      "passing" + std::to_string(i), i % 2 == 0 ? group : nullptr,
      ticks ? std::optional(quick) : std::nullopt);
    passing->inside = i % 2 == 0 ? &inside : nullptr;
    ASSERT_TRUE(driver.scheduler.add(passing, {}, now()));
    for (int k = 0; k < 3; ++k) {
      driver.scheduler.ready(*stays, 1, now());
      ++announced;
      if (!ticks) {
        driver.scheduler.ready(*passing, 1, now());
      }
    }
    if (i % 4 == 0) {
      EXPECT_TRUE(Driver::wait_for([&] { return passing->runs.load() > 0; }));
    }
    driver.scheduler.remove(*passing);
    EXPECT_TRUE(Driver::wait_for([&] { return !driver.scheduler.running(*passing); }));
    const std::uint64_t runs = passing->runs.load();
    if (i % 64 == 0) {
      EXPECT_TRUE(Driver::wait_for([&] { return stays->runs.load() >= announced; }));
    }
    EXPECT_EQ(passing->runs.load(), runs) << "ran after its removal";
  }
  EXPECT_TRUE(Driver::wait_for([&] { return stays->runs.load() >= announced; }));
  driver.stop();
  EXPECT_EQ(stays->runs.load(), announced);
  EXPECT_EQ(stays->overlaps.load(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
  all, RebindingStress, testing::Values(Order::priority, Order::edf, Order::window),
  [](const auto & test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace takt_core::test
