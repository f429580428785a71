// Exclusive groups shared by thread sets, under real threads: exclusion, hand-over, no message
// lost.
#include <gtest/gtest.h>

#include <random>

#include "support/driver.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

class GroupStress : public testing::TestWithParam<Order>
{
};

TEST_P(GroupStress, hand_over_between_thread_sets_loses_nothing_and_overlaps_nothing)
{
  constexpr std::uint32_t kThreads = 3;
  Driver driver(kThreads, GetParam());
  std::vector<std::shared_ptr<Counter>> counters;
  std::atomic<int> inside[2]{};
  const std::shared_ptr<Group> groups[] = {
    std::make_shared<Group>(GroupKind::mutually_exclusive),
    std::make_shared<Group>(GroupKind::mutually_exclusive)};
  for (std::uint32_t i = 0; i < 8; ++i) {
    CallbackOptions options;
    options.id = "c" + std::to_string(i);
    options.kind = Kind::subscription;
    options.group = groups[i % 2];
    options.depth = 1 << 16;
    counters.push_back(std::make_shared<Counter>(options));
    counters.back()->inside = &inside[i % 2];
    Binding binding;
    binding.priority = static_cast<int>(i % 3);
    binding.threads = has_windows(GetParam()) ? ThreadMask{1} << i % kThreads
                                              : ThreadMask{1} << i % kThreads | (i % 4 < 2 ? 1 : 0);
    ASSERT_TRUE(driver.scheduler.add(counters.back(), binding));
  }
  driver.start();
  const std::uint64_t each = rounds(40000);
  std::atomic<std::uint64_t> announced[8]{};
  std::vector<std::thread> producers;
  for (std::uint32_t p = 0; p < 2; ++p) {
    producers.emplace_back([&, p] {
      std::mt19937 random(seed() + p);
      for (std::uint64_t i = 0; i < each; ++i) {
        const std::size_t at = random() % 8;
        while (counters[at]->backlog() > 60'000) {
          std::this_thread::yield();
        }
        driver.scheduler.ready(*counters[at], 1, now());
        announced[at].fetch_add(1);
      }
    });
  }
  for (std::thread & producer : producers) {
    producer.join();
  }
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_TRUE(Driver::wait_for([&] { return counters[i]->runs.load() >= announced[i].load(); }))
      << counters[i]->runs.load() << " of " << announced[i].load();
  }
  driver.stop();
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(counters[i]->runs.load(), announced[i].load());
    EXPECT_EQ(counters[i]->overlaps.load(), 0U);
    EXPECT_EQ(counters[i]->overwritten(), 0U);
  }
  EXPECT_FALSE(groups[0]->busy());
  EXPECT_FALSE(groups[1]->busy());
}

// The first member enters in a cheaper way until the second one joins.
TEST_P(GroupStress, a_second_member_may_join_while_the_first_starts)
{
  Driver driver(2, GetParam());
  driver.start();
  const std::uint64_t pairs = rounds(300);
  for (std::uint64_t i = 0; i < pairs; ++i) {
    std::atomic<int> inside{0};
    CallbackOptions options;
    options.kind = Kind::subscription;
    options.group = std::make_shared<Group>(GroupKind::mutually_exclusive);
    options.depth = 1000;
    std::vector<std::shared_ptr<Counter>> members;
    for (std::uint32_t k = 0; k < 2; ++k) {
      options.id = "pair" + std::to_string(i) + "." + std::to_string(k);
      members.push_back(std::make_shared<Counter>(options));
      members.back()->inside = &inside;
    }
    Binding binding;
    binding.threads = 1;
    ASSERT_TRUE(driver.scheduler.add(members[0], binding, now()));
    std::thread producer([&] {
      for (int n = 0; n < 500; ++n) {
        driver.scheduler.ready(*members[0], 1, now());
      }
    });
    driver.scheduler.ready(*members[1], 1, now());
    binding.threads = 2;
    ASSERT_TRUE(driver.scheduler.add(members[1], binding, now()));
    producer.join();
    for (const auto & member : members) {
      EXPECT_TRUE(Driver::wait_for([&] {
        return member->runs.load() + member->overwritten() == (member == members[0] ? 500U : 1U);
      }))
        << member->runs.load();
      EXPECT_EQ(member->overlaps.load(), 0U);
      driver.scheduler.remove(*member);
    }
    EXPECT_TRUE(Driver::wait_for([&] { return !driver.scheduler.reap(); }));
  }
  driver.stop();
}

INSTANTIATE_TEST_SUITE_P(
  all, GroupStress, testing::Values(Order::fifo, Order::priority, Order::edf, Order::window),
  [](const auto & test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace takt_core::test
