// Priorities that rise with backlog or age, under a virtual clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "support/virtual_executor.hpp"

namespace takt_core::test
{

using takt_rt::from_ns;
using takt_rt::to_ns;

namespace
{

using std::chrono::milliseconds;

Time ms(std::int64_t value)
{
  return from_ns(value * 1'000'000);
}

/// A scheduler with one or more threads and order `priority`; the test announces the messages.
class Boosted : public ::testing::Test
{
protected:
  Boosted() { start(1); }

  void start(std::size_t threads)
  {
    world = std::make_unique<VirtualExecutors>();
    world->add_executor({std::vector<int>(threads, 1), Order::priority, WindowTimers::snapshot});
    callbacks.clear();
  }

  VirtualCallback & add(
    const std::string & id, int priority, std::int64_t cost_ms, std::uint32_t depth = 10,
    std::optional<Boost> boost = std::nullopt, ThreadMask threads = 0,
    std::shared_ptr<Group> group = nullptr)
  {
    CallbackOptions options;
    options.id = id;
    options.kind = Kind::subscription;
    options.depth = depth;
    options.group = std::move(group);
    auto callback = std::make_shared<VirtualCallback>(options);
    callback->cost = milliseconds(cost_ms);
    Binding binding;
    binding.threads = threads;
    binding.priority = priority;
    binding.boost = boost;
    EXPECT_TRUE(world->add(callback, binding).ok());
    callbacks.push_back(callback);
    return *callback;
  }

  /// Announces a message for `callback` each `period_ms` from `from_ms` on.
  void publish(VirtualCallback & callback, std::int64_t from_ms, std::int64_t period_ms, int count)
  {
    for (int i = 0; i < count; ++i) {
      const Time when = ms(from_ms + i * period_ms);
      world->at(when, [this, &callback, when] { world->scheduler().ready(callback, 1, when); });
    }
  }

  std::int64_t starts(const std::string & id) const
  {
    const auto & all = world->starts();
    return std::count_if(all.begin(), all.end(), [&](const Start & s) { return s.id == id; });
  }

  /// The longest response of a callback.
  Duration longest(const VirtualCallback & callback) const
  {
    Duration result{};
    for (const End & end : world->ends()) {
      if (end.callback == &callback) {
        result = std::max(result, from_ns(end.at) - end.run.release);
      }
    }
    return result;
  }

  std::unique_ptr<VirtualExecutors> world;
  std::vector<std::shared_ptr<VirtualCallback>> callbacks;
};

const Boost kQuarter{0.25, {}, 10, 60};

TEST_F(Boosted, overtakes_when_its_history_fills_and_falls_back_when_it_is_empty)
{
  VirtualCallback & low = add("low", 10, 1, 8, kQuarter);
  VirtualCallback & middle = add("middle", 25, 1, 100);
  // Four of eight messages wait at 5 ms: two steps, so priority 30.
  publish(low, 0, 1, 4);
  publish(middle, 0, 0, 5);
  world->run_until(ms(1));
  EXPECT_EQ(low.raised(), 0) << "one message of eight is no step";
  world->run_until(ms(4));
  EXPECT_EQ(low.raised(), 20);
  EXPECT_EQ(world->starts().back().id, "low") << "30 goes before 25";
  world->run_until(ms(20));
  EXPECT_EQ(starts("low"), 4);
  EXPECT_EQ(starts("middle"), 5);
  publish(middle, 20, 0, 1);
  world->run_until(ms(30));
  EXPECT_EQ(low.raised(), 0);
}

// A burst fills the history of a callback below a busy one. The important callback has a deadline
// that `max` protects.
struct Recovery
{
  std::uint64_t lost = 0;
  Duration hot_response{};
};

TEST_F(Boosted, recovers_from_a_burst_without_harm_to_what_is_above_its_most)
{
  const auto run = [&](std::optional<Boost> boost) {
    start(1);
    VirtualCallback & slow = add("slow", 10, 2, 10, boost);
    VirtualCallback & busy = add("busy", 30, 4, 1000);
    VirtualCallback & hot = add("hot", 200, 1, 10);
    publish(busy, 0, 5, 200);   // 80 % of the thread
    publish(hot, 0, 20, 50);    // 5 %
    publish(slow, 0, 20, 50);   // 10 %
    publish(slow, 105, 2, 12);  // the burst
    world->run_until(ms(1000));
    return Recovery{slow.overwritten(), longest(hot)};
  };
  const Recovery without = run(std::nullopt);
  const Recovery with = run(Boost{0.2, {}, 10, 100});
  EXPECT_GT(without.lost, 0U)
    << "the burst is meant to be too much for the callback's own priority";
  EXPECT_EQ(with.lost, 0U);
  // The response contains one longer callback that has begun, and the callback's own millisecond.
  EXPECT_LE(with.hot_response, milliseconds(5));
  EXPECT_LE(without.hot_response, milliseconds(5));
}

TEST_F(Boosted, never_starves_those_below_its_most)
{
  constexpr std::uint32_t kDepth = 6;
  VirtualCallback & greedy = add("greedy", 10, 2, kDepth, Boost{0.2, {}, 20, 100});
  VirtualCallback & other = add("other", 50, 1, 1000);
  publish(greedy, 0, 1, 2000);  // twice as many as it can run
  publish(other, 0, 20, 100);
  world->run_until(ms(2000));
  EXPECT_EQ(starts("other"), 100);
  // The wait is at most `depth` boosted runs and the run in progress.
  EXPECT_LE(longest(other), milliseconds(2 * (kDepth + 1) + 1));
  std::uint32_t row = 0;
  std::uint32_t longest_row = 0;
  for (const Start & start : world->starts()) {
    row = start.id == "greedy" ? row + 1 : 0;
    longest_row = std::max(longest_row, row);
  }
  EXPECT_GT(longest_row, 1U);
  EXPECT_GT(greedy.overwritten(), 0U);
}

TEST_F(Boosted, several_that_take_turns_do_not_starve_others_either)
{
  add("a", 10, 2, 4, Boost{0.25, {}, 50, 200});
  add("b", 11, 2, 4, Boost{0.25, {}, 50, 200});
  VirtualCallback & other = add("other", 40, 1, 1000);
  publish(*callbacks[0], 0, 2, 500);
  publish(*callbacks[1], 0, 2, 500);
  publish(other, 0, 30, 30);
  world->run_until(ms(1000));
  EXPECT_EQ(starts("other"), 30);
  EXPECT_LE(longest(other), milliseconds(2 * (4 + 4 + 1) + 1));
}

// Starts of callbacks above the boost must not end its rest: here the callback between them would
// starve.
TEST_F(Boosted, does_not_starve_those_between_where_what_is_above_it_starts_often)
{
  VirtualCallback & above = add("above", 60, 1, 1000);
  VirtualCallback & between = add("between", 50, 1, 1000);
  VirtualCallback & boosted = add("boosted", 10, 1, 1, Boost{1.0, {}, 100, 55});
  publish(above, 0, 2, 500);
  publish(between, 0, 10, 100);
  publish(boosted, 0, 1, 1000);
  world->run_until(ms(1000));
  EXPECT_GE(starts("between"), 99);
  EXPECT_LE(longest(between), milliseconds(6));
  EXPECT_GT(starts("boosted"), 300);
}

// The boosted callback and the other one share the thread but not their thread sets.
TEST_F(Boosted, does_not_starve_what_is_on_another_set_of_its_thread)
{
  start(2);
  add("greedy", 10, 2, 4, Boost{0.25, {}, 50, 200}, 1);
  VirtualCallback & other = add("other", 40, 1, 1000, std::nullopt, 3);
  VirtualCallback & blocker = add("blocker", 250, 1000, 10, std::nullopt, 2);
  publish(blocker, 0, 0, 1);
  publish(*callbacks[0], 0, 1, 900);
  publish(other, 1, 30, 25);
  world->run_until(ms(900));
  EXPECT_EQ(starts("other"), 25);
  EXPECT_LE(longest(other), milliseconds(2 * (4 + 1) + 1));
}

TEST_F(Boosted, rises_with_the_age_of_its_oldest_message)
{
  VirtualCallback & old = add("old", 10, 1, 10, Boost{0, milliseconds(10), 15, 100});
  VirtualCallback & busy = add("busy", 30, 1, 1000);
  publish(busy, 0, 1, 100);
  publish(old, 0, 0, 1);
  world->run_until(ms(10));
  EXPECT_EQ(starts("old"), 0);
  world->run_until(ms(100));
  ASSERT_EQ(starts("old"), 1);
  // After 20 ms the callback counts as 40. `busy` releases in order, so the callback starts with
  // the next look.
  EXPECT_LE(longest(old), milliseconds(22));
  EXPECT_GE(longest(old), milliseconds(20));
}

TEST_F(Boosted, rises_while_it_waits_for_its_group)
{
  const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive);
  start(2);
  VirtualCallback & holder = add("holder", 100, 10, 10, std::nullopt, 1, group);
  VirtualCallback & parked = add("parked", 10, 1, 10, Boost{0.1, {}, 30, 200}, 2, group);
  VirtualCallback & rival = add("rival", 50, 1, 10, std::nullopt, 2, group);
  publish(holder, 0, 0, 1);
  publish(parked, 1, 0, 1);
  publish(rival, 2, 0, 1);
  publish(parked, 3, 0, 5);
  // A thread must look for work, because it is idle while both callbacks wait for the group.
  VirtualCallback & tick = add("tick", 5, 1, 10, std::nullopt, 2);
  publish(tick, 5, 0, 1);
  world->run_until(ms(30));
  std::vector<std::string> order;
  for (const Start & start : world->starts()) {
    order.push_back(start.id);
  }
  ASSERT_GE(order.size(), 4U);
  EXPECT_EQ(order[0], "holder");
  EXPECT_EQ(order[1], "tick");
  EXPECT_EQ(order[2], "parked") << "six of ten: 10 + 180 goes before 50";
}

TEST_F(Boosted, can_be_given_moved_and_taken_while_it_waits)
{
  start(2);
  VirtualCallback & low = add("low", 10, 1, 10, std::nullopt, 1);
  VirtualCallback & middle = add("middle", 25, 1, 100, std::nullopt, 1);
  publish(low, 0, 0, 8);
  publish(middle, 0, 0, 50);
  world->run_until(ms(3));
  EXPECT_EQ(starts("low"), 0);
  Scheduler & scheduler = world->scheduler();
  ASSERT_TRUE(scheduler.set_boost(low, Boost{0.5, {}, 40, 200}).ok());
  world->run_until(ms(6));
  EXPECT_GE(starts("low"), 2);
  ASSERT_TRUE(scheduler.set_boost(low, std::nullopt).ok());
  EXPECT_EQ(low.raised(), 0);
  const auto before = starts("low");
  world->run_until(ms(10));
  EXPECT_LE(starts("low"), before + 1) << "one may have been picked already";
  ASSERT_TRUE(scheduler.set_boost(low, Boost{0.1, {}, 40, 200}).ok());
  ASSERT_TRUE(scheduler.bind(low, 2).ok());
  world->run_until(ms(30));
  EXPECT_EQ(starts("low"), 8);
  scheduler.remove(low);
  world->run_until(ms(100));
  EXPECT_EQ(starts("middle"), 50);
}

TEST_F(Boosted, is_refused_where_it_makes_no_sense)
{
  VirtualCallback & low = add("low", 10, 1);
  Scheduler & scheduler = world->scheduler();
  const auto refused = [&](const Boost & boost) { return !scheduler.set_boost(low, boost).ok(); };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({0.5, milliseconds(1), 1, 255}));
  EXPECT_TRUE(refused({1.5, {}, 1, 255}));
  EXPECT_TRUE(refused({-0.5, {}, 1, 255}));
  EXPECT_TRUE(refused({0, milliseconds(-1), 1, 255}));
  EXPECT_TRUE(refused({0.5, {}, 0, 255}));
  EXPECT_TRUE(refused({0.5, {}, 1, 256}));
  EXPECT_FALSE(refused({0.5, {}, 1, 255}));
}

// In random systems no message is lost or doubled, and a callback waits for at most as many boosted
// starts of each lower callback as that callback's history holds messages.
TEST_F(Boosted, keeps_its_promises_in_random_systems)
{
  std::mt19937 random(7);
  const auto pick = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  for (int round = 0; round < 200; ++round) {
    start(static_cast<std::size_t>(pick(1, 2)));
    std::map<std::string, std::uint32_t> published;
    const int count = pick(2, 5);
    for (int i = 0; i < count; ++i) {
      std::optional<Boost> boost;
      const auto depth = static_cast<std::uint32_t>(pick(1, 8));
      if (pick(0, 1) == 1) {
        boost = pick(0, 1) == 1 ? Boost{0.01 * pick(1, 100), {}, pick(1, 80), pick(1, 255)}
                                : Boost{0, milliseconds(pick(1, 20)), pick(1, 80), pick(1, 255)};
      }
      const std::string id = "c" + std::to_string(i);
      VirtualCallback & callback = add(
        id, pick(0, 120), pick(1, 3), depth, boost, 0,
        pick(0, 2) == 0 ? std::make_shared<Group>(GroupKind::reentrant) : nullptr);
      for (int burst = 0; burst < 3; ++burst) {
        const int messages = pick(1, 60);
        publish(callback, pick(0, 100), pick(0, 3), messages);
        published[id] += static_cast<std::uint32_t>(messages);
      }
    }
    // Counts, for each callback, the boosted starts of lower callbacks while it waits.
    std::vector<std::pair<std::int64_t, const VirtualCallback *>> boosted_starts;
    std::map<const VirtualCallback *, int> own;
    for (const auto & callback : callbacks) {
      own[callback.get()] = world->scheduler().priority(*callback);
      callback->on_start = [&, c = callback.get()](const takt_core::Run & run) {
        if (c->raised() > 0) {
          boosted_starts.emplace_back(to_ns(world->now()), c);
          return;
        }
        std::map<const VirtualCallback *, std::uint32_t> seen;
        for (const auto & [at, other] : boosted_starts) {
          // A callback of a busy group is not ready.
          if (at > to_ns(run.release) && own[other] < own[c] && !c->group().exclusive()) {
            ++seen[other];
          }
        }
        for (const auto & [other, times] : seen) {
          ASSERT_LE(times, other->depth()) << c->id() << ", round " << round;
        }
      };
    }
    world->run_until(ms(5000));
    ASSERT_FALSE(world->livelocked());
    for (const auto & callback : callbacks) {
      ASSERT_EQ(callback->backlog(), 0U);
      ASSERT_EQ(starts(callback->id()) + callback->overwritten(), published[callback->id()])
        << "round " << round;
    }
  }
}

}  // namespace
}  // namespace takt_core::test
