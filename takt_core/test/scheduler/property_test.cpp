// Properties over many random graphs under a virtual clock, from a seed: work conservation, bounded
// bypass, exclusion, and equal results if only the necessary threads are woken.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "support/journal.hpp"
#include "support/rounds.hpp"
#include "support/twins.hpp"

namespace takt_core::test
{

using takt_rt::from_ns;
using takt_rt::to_ns;

namespace
{

struct Graph
{
  Graph(
    std::uint32_t seed, Order order, Looks looks, const SeamMaker & maker = plain_seam,
    std::optional<WindowTimers> timers = {})
  : world(Kernel::own, 0, looks),
    random(seed)
  {
    threads = 1 + pick(4);
    SchedulerOptions options;
    options.thread_urgencies.assign(threads, 0);
    options.order = order;
    const bool immediate = pick(2) != 0;
    options.window_timers =
      timers.value_or(immediate ? WindowTimers::immediate : WindowTimers::snapshot);
    world.add_executor(options, maker);
    std::vector<std::shared_ptr<Group>> groups;
    for (std::uint32_t i = 0; i < 2 + pick(4); ++i) {
      groups.push_back(std::make_shared<Group>(
        pick(4) == 0 ? GroupKind::reentrant : GroupKind::mutually_exclusive));
    }
    const std::uint32_t count = 4 + pick(8);
    for (std::uint32_t i = 0; i < count; ++i) {
      add(i, groups[pick(static_cast<std::uint32_t>(groups.size()))]);
    }
    for (std::uint32_t i = 0; i < count; ++i) {  // only to later callbacks: no cycles
      for (std::uint32_t to = i + 1; to < count; ++to) {
        if (callbacks[to]->kind() != Kind::timer && pick(3) == 0) {
          callbacks[i]->readers.push_back(callbacks[to].get());
        }
      }
    }
  }

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

  void add(std::uint32_t i, const std::shared_ptr<Group> & group)
  {
    CallbackOptions options;
    options.id = "c" + std::to_string(i);
    options.kind = i == 0 || pick(3) == 0 ? Kind::timer : static_cast<Kind>(1 + pick(4));
    options.group = group;
    options.depth = 256;
    if (options.kind == Kind::timer) {
      TimerOptions timer;
      timer.period = std::chrono::milliseconds(3 + pick(20));
      timer.offset = std::chrono::milliseconds(pick(5));
      options.timer = timer;
    }
    auto callback = std::make_shared<VirtualCallback>(options);
    callback->cost = std::chrono::milliseconds(1 + pick(4));
    Binding binding;
    binding.priority = static_cast<int>(pick(4));
    binding.deadline = std::chrono::milliseconds(5 + pick(50));
    EXPECT_TRUE(world.add(callback, binding).ok());
    callbacks.push_back(std::move(callback));
  }

  // Checks that no thread idles while a callback with work has a free group.
  Verdict conserves_work()
  {
    bool idle = false;
    std::map<const Group *, bool> busy;
    for (std::uint32_t t = 0; t < threads; ++t) {
      if (const Run * const run = world.running(t)) {
        busy[&run->callback->group()] = run->callback->group().exclusive();
      } else {
        idle = true;
      }
    }
    for (const auto & callback : callbacks) {
      const bool due = callback->kind() == Kind::timer
                         ? world.scheduler().next_release(*callback) <= world.now()
                         : callback->backlog() > 0;
      if (idle && due && !busy[&callback->group()]) {
        return broken(
          callback->id() + " waits at " + std::to_string(to_ns(world.now()) / 1'000'000) +
          " ms although a thread idles and its group is free");
      }
    }
    return kept();
  }

  VirtualExecutors world;
  std::mt19937 random;
  std::uint32_t threads = 0;
  std::vector<std::shared_ptr<VirtualCallback>> callbacks;
};

constexpr Time kHorizon = from_ns(400'000'000);

class Property : public testing::TestWithParam<Order>
{
};

TEST_P(Property, no_thread_idles_while_a_callback_could_start)
{
  for (std::uint64_t round = 0; round < rounds(300); ++round) {
    for (const Looks looks : {Looks::every_instant, Looks::when_woken}) {
      Graph graph(seed() * 100'000 + static_cast<std::uint32_t>(round), GetParam(), looks);
      while (graph.world.step(kHorizon)) {
        const Verdict verdict = graph.conserves_work();
        ASSERT_TRUE(verdict.good()) << "round " << round << ": " << verdict;
      }
      ASSERT_FALSE(graph.world.livelocked()) << "round " << round;
    }
  }
}

struct Ready
{
  std::int64_t key;
  std::int64_t release;
};

// Between the release of a callback and its start, only runs of its exclusive group with a better
// (key, release) start.
TEST_P(Property, a_parked_callback_is_overtaken_only_by_strictly_better_keys)
{
  const auto key = [&](
                     const Graph & graph, const VirtualCallback & callback, std::int64_t release) {
    auto & scheduler = const_cast<Graph &>(graph).world.scheduler();
    switch (GetParam()) {
      case Order::priority:
        return Ready{-scheduler.priority(callback), release};
      case Order::edf:
        return Ready{release + scheduler.binding(callback)->deadline->count(), release};
      default:
        return Ready{0, release};
    }
  };
  for (std::uint64_t round = 0; round < rounds(300); ++round) {
    Graph graph(
      seed() * 100'000 + static_cast<std::uint32_t>(round), GetParam(), Looks::when_woken);
    graph.world.run_until(kHorizon);
    const auto & starts = graph.world.starts();
    std::map<std::string, const VirtualCallback *> by_id;
    for (const auto & callback : graph.callbacks) {
      by_id[callback->id()] = callback.get();
    }
    for (std::size_t late = 0; late < starts.size(); ++late) {
      const VirtualCallback & waits = *by_id[starts[late].id];
      if (!waits.group().exclusive()) {
        continue;
      }
      const Ready own = key(graph, waits, starts[late].release);
      // Only starts that are strictly between this callback's release and its start have overtaken
      // it.
      for (std::size_t i = late; i-- > 0 && starts[i].at > starts[late].release;) {
        const VirtualCallback & other = *by_id[starts[i].id];
        if (&other == &waits || &other.group() != &waits.group() || other.overwritten() > 0) {
          continue;  // the place of a lost oldest message goes to the next message
        }
        const Ready rival = key(graph, other, starts[i].release);
        ASSERT_LE(std::tie(rival.key, rival.release), std::tie(own.key, own.release))
          << "round " << round << ": " << other.id() << " overtook " << waits.id();
      }
    }
  }
}

TEST(WindowBypass, of_a_window_each_callback_waits_for_at_most_two_windows)
{
  for (std::uint64_t round = 0; round < rounds(300); ++round) {
    Graph graph(
      seed() * 100'000 + static_cast<std::uint32_t>(round), Order::window, Looks::when_woken,
      plain_seam, WindowTimers::snapshot);  // immediate timers may overtake without bound
    graph.world.run_until(kHorizon);
    std::map<std::string, std::int64_t> last;
    Duration all{};
    for (const auto & callback : graph.callbacks) {
      all += callback->cost;
    }
    // Between two starts of a callback with a backlog every other callback starts at most twice,
    // however contended its group is: once in the present window and once in the first callback's
    // next window.
    for (const auto & waits : graph.callbacks) {
      std::map<std::string, int> between;
      for (const Start & start : graph.world.starts()) {
        if (start.id == waits->id()) {
          const bool waited_all_along = start.release <= last[start.id] && last[start.id] > 0;
          for (const auto & [id, times] : between) {
            const VirtualCallback & other = **std::find_if(
              graph.callbacks.begin(), graph.callbacks.end(),
              [&, name = id](const auto & c) { return c->id() == name; });
            if (
              waited_all_along && waits->group().exclusive() && &other.group() == &waits->group()) {
              ASSERT_LE(times, 2) << "round " << round << ": " << id << " before " << start.id;
            }
          }
          between.clear();
          last[start.id] = start.at;
        } else {
          ++between[start.id];
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
  orders, Property, testing::Values(Order::priority, Order::fifo, Order::edf),
  [](const auto & test) { return std::string(to_string(test.param)); });

TEST(WindowConservation, no_thread_idles_while_a_callback_could_start)
{
  for (std::uint64_t round = 0; round < rounds(300); ++round) {
    Graph graph(
      seed() * 100'000 + static_cast<std::uint32_t>(round), Order::window, Looks::when_woken);
    while (graph.world.step(kHorizon)) {
      const Verdict verdict = graph.conserves_work();
      ASSERT_TRUE(verdict.good()) << "round " << round << ": " << verdict;
    }
  }
}

// The check rejects a scheduler that loses wake-ups.
TEST(WorkConservation, is_missing_where_wake_ups_get_lost_and_the_check_sees_it)
{
  bool seen = false;
  for (std::uint32_t round = 0; round < 100 && !seen; ++round) {
    Graph graph(100'000 + round, Order::fifo, Looks::when_woken, [] {
      return std::make_unique<LosesWakeUps>();
    });
    while (!seen && graph.world.step(kHorizon)) {
      seen = !graph.conserves_work().good();
    }
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace takt_core::test
