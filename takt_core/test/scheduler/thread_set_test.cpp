// Thread sets exist as long as callbacks are bound to them; whole chains are bound at once.
#include <gtest/gtest.h>

#include <bit>
#include <thread>

#include "support/by_hand.hpp"
#include "support/driver.hpp"
#include "support/rounds.hpp"

namespace takt_core::test
{
namespace
{

Binding on(ThreadMask threads)
{
  Binding binding;
  binding.threads = threads;
  return binding;
}

TEST(ThreadSets, of_a_window_are_given_back_by_the_last_callback)
{
  for (const Order order : {Order::window, Order::stock}) {
    ByHand hand(2, order);
    const auto a = hand.add("a");
    EXPECT_TRUE(hand.faults.empty());
    hand.add("refused", nullptr, on(1));
    EXPECT_EQ(hand.faults.size(), 1U) << "thread 0 has a window";
    hand.scheduler.remove(*a);
    const auto b = hand.add("b", nullptr, on(1));
    const auto c = hand.add("c", nullptr, on(2));
    EXPECT_TRUE(hand.faults.empty());
    hand.scheduler.ready(*b, 1, ms(1));
    hand.scheduler.ready(*c, 1, ms(1));
    EXPECT_EQ(hand.run_one(1, ms(1)), "c");
    EXPECT_EQ(hand.run_one(1, ms(1)), "-");
    EXPECT_EQ(hand.run_one(0, ms(1)), "b");
    hand.scheduler.remove(*c);
    EXPECT_TRUE(hand.scheduler.bind(*b, 3).ok()) << "it leaves the set it stands in itself";
    hand.scheduler.ready(*b, 1, ms(2));
    EXPECT_EQ(hand.run_one(1, ms(2)), "b");
  }
}

TEST(ThreadSets, take_any_number_of_rebindings)
{
  ByHand hand(8, Order::priority);
  const auto c = hand.add("c");
  for (ThreadMask threads = 1; threads < 256; ++threads) {
    ASSERT_TRUE(hand.scheduler.bind(*c, threads).ok()) << threads;
    EXPECT_EQ(hand.scheduler.threads(*c), threads);
    hand.scheduler.ready(*c, 1, ms(1));
    for (std::uint32_t thread = 0; thread < 8; ++thread) {
      if ((threads >> thread & 1) == 0) {
        ASSERT_EQ(hand.pick(thread, ms(1)), "-") << threads << ' ' << thread;
      }
    }
    const auto member = static_cast<std::uint32_t>(std::countr_zero(threads));
    ASSERT_EQ(hand.run_one(member, ms(1)), "c") << threads;
  }
}

TEST(ThreadSets, are_at_most_64_that_are_in_use)
{
  ByHand hand(8, Order::fifo);
  std::vector<std::shared_ptr<SilentCallback>> callbacks;
  for (ThreadMask threads = 1; threads <= 64; ++threads) {
    callbacks.push_back(hand.add("c" + std::to_string(threads), nullptr, on(threads)));
    ASSERT_TRUE(hand.faults.empty());
  }
  hand.add("one more", nullptr, on(65));
  EXPECT_EQ(hand.faults.size(), 1U);
  for (ThreadMask threads = 65; threads < 200; ++threads) {
    ASSERT_TRUE(hand.scheduler.bind(*callbacks[threads % 64], threads).ok());
  }
  hand.scheduler.ready(*callbacks[0], 1, ms(1));
  const auto member =
    static_cast<std::uint32_t>(std::countr_zero(hand.scheduler.threads(*callbacks[0])));
  EXPECT_EQ(hand.run_one(member, ms(1)), callbacks[0]->id());
}

TEST(ThreadSets, keep_what_waits_and_ticks_when_they_are_given_up)
{
  ByHand hand(3, Order::fifo);
  const auto group = ByHand::exclusive();
  TimerOptions every;
  every.period = millis(10);
  const auto timer = hand.add_timer("timer", every, nullptr, on(1));
  const auto queued = hand.add("queued", nullptr, on(1));
  const auto holder = hand.add("holder", group, on(2)), parked = hand.add("parked", group, on(1));
  hand.scheduler.open(ms(0));
  hand.scheduler.ready(*holder, 1, ms(1));
  EXPECT_EQ(hand.pick(1, ms(1)), "holder");
  hand.scheduler.ready(*parked, 1, ms(1));
  EXPECT_EQ(hand.pick(0, ms(1)), "-");
  hand.scheduler.ready(*queued, 1, ms(1));
  for (const auto & callback : {timer, queued, parked}) {
    EXPECT_TRUE(hand.scheduler.bind(*callback, 4).ok());
  }
  EXPECT_EQ(hand.pick(0, ms(100)), "-") << "nothing is bound to it";
  hand.complete();
  EXPECT_EQ(hand.run_one(2, ms(2)), "parked");  // the older one
  EXPECT_EQ(hand.run_one(2, ms(2)), "queued");
  EXPECT_EQ(hand.run_one(2, ms(10)), "timer");
}

TEST(ThreadSets, of_several_callbacks_change_together_or_not_at_all)
{
  ByHand hand(2, Order::window);
  const auto a = hand.add("a", nullptr, on(3)), b = hand.add("b", nullptr, on(3));
  const std::vector<Callback *> both{a.get(), b.get()};
  hand.scheduler.ready(*b, 2, ms(0));
  EXPECT_TRUE(hand.scheduler.bind(both, 1).ok()) << "nobody else is in their set";
  EXPECT_EQ(hand.scheduler.threads(*a), 1U);
  EXPECT_EQ(hand.scheduler.threads(*b), 1U);
  EXPECT_EQ(hand.run_one(1, ms(1)), "-");
  EXPECT_EQ(hand.run_one(0, ms(1)), "b");
  EXPECT_EQ(hand.run_one(0, ms(1)), "b");
  const auto other = hand.add("other", nullptr, on(2));
  EXPECT_FALSE(hand.scheduler.bind(both, 3).ok()) << "in the way of other's window";
  EXPECT_FALSE(hand.scheduler.bind(both, 4).ok());
  SilentCallback stranger(CallbackOptions{});
  EXPECT_FALSE(hand.scheduler.bind({a.get(), &stranger}, 1).ok());
  EXPECT_EQ(hand.scheduler.threads(*a), 1U);
  EXPECT_EQ(hand.scheduler.threads(*b), 1U);
  EXPECT_TRUE(hand.scheduler.bind(both, 2).ok());
  EXPECT_EQ(hand.scheduler.threads(*a), 2U);
  EXPECT_EQ(hand.scheduler.binding(*b)->threads, 2U);
}

TEST(ThreadSets, come_and_go_under_load_without_losing_anything)
{
  for (const Order order : {Order::fifo, Order::edf, Order::window}) {
    Driver driver(3, order);
    std::vector<std::shared_ptr<Counter>> counters;
    for (int i = 0; i < 3; ++i) {
      CallbackOptions options;
      options.id = "c" + std::to_string(i);
      options.kind = Kind::subscription;
      options.depth = 1 << 12;
      counters.push_back(std::make_shared<Counter>(options));
      ASSERT_TRUE(driver.scheduler.add(counters.back(), on(ThreadMask{1} << i)));
    }
    driver.start();
    std::atomic<bool> over{false};
    std::vector<std::uint64_t> announced(counters.size(), 0);
    std::thread producer([&] {
      for (std::size_t i = 0; !over.load(); ++i) {
        const std::size_t at = i % counters.size();
        if (counters[at]->backlog() < 4000) {
          driver.scheduler.ready(*counters[at], 1, now());
          ++announced[at];
        } else {
          std::this_thread::yield();
        }
      }
    });
    const auto runs = [&] {
      return counters[0]->runs.load() + counters[1]->runs.load() + counters[2]->runs.load();
    };
    // Mostly each callback is alone in its set, so that almost every move ends one set and needs
    // another.
    for (std::uint64_t i = 0; i < rounds(20'000) || runs() < rounds(20'000); ++i) {
      const auto threads = static_cast<ThreadMask>(1 + i * 5 % 7);
      const Status bound = driver.scheduler.bind(*counters[i % 3], threads);
      ASSERT_TRUE(bound.ok() || order == Order::window);
    }
    over.store(true);
    producer.join();
    for (std::size_t i = 0; i < counters.size(); ++i) {
      EXPECT_TRUE(Driver::wait_for([&] { return counters[i]->runs.load() >= announced[i]; }))
        << to_string(order) << ": " << counters[i]->runs.load() << " of " << announced[i];
    }
    driver.stop();
    for (std::size_t i = 0; i < counters.size(); ++i) {
      EXPECT_EQ(counters[i]->runs.load(), announced[i]);
    }
  }
}

}  // namespace
}  // namespace takt_core::test
