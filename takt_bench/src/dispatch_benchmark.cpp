// Dispatch without threads: from ready to start on the same thread, empty callback, no observer.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ratio_reporter.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/scheduler.hpp"

namespace
{

using namespace takt_core;  // NOLINT: a benchmark's own file
using namespace takt_rt;    // NOLINT

struct Sleepless final : Waker
{
  void wake(std::uint32_t) noexcept override {}
};

struct Empty final : Callback
{
  using Callback::Callback;
  void run(const Run &) override {}
};

// `registered` callbacks on one thread; `active` of them become ready in each round. A round makes
// all of these ready and picks all of them. Callbacks are allocated and chosen in random order, so
// that neighbours in memory give no advantage. The benchmark passes the time as an argument and
// reads no clock. A driver reads the clock twice per dispatch (arrival and start); `clock_read`
// shows that cost.
struct Fixture
{
  Fixture(Order order, std::size_t registered, std::size_t active)
  : scheduler({{0}, order, WindowTimers::snapshot}, waker),
    runs(std::min<std::size_t>(active, 64))
  {
    std::vector<std::shared_ptr<Callback>> all;
    for (std::size_t i = 0; i < registered; ++i) {
      CallbackOptions options;
      options.id = takt_core::adapter::callback_id("/node" + std::to_string(i), "sub", "/topic");
      options.kind = Kind::subscription;
      all.push_back(std::make_shared<Empty>(options));
      if (!scheduler.add(all.back()).ok()) {
        std::abort();
      }
    }
    std::shuffle(all.begin(), all.end(), std::mt19937(1));
    for (std::size_t i = 0; i < active; ++i) {
      chosen.push_back(all[i].get());
    }
    scheduler.open(now());
  }

  // From ready to complete.
  std::size_t round(Time t)
  {
    for (Callback * callback : chosen) {
      scheduler.ready(*callback, 1, t);
    }
    std::size_t ran = 0;
    while (scheduler.next(0, t, runs[0])) {
      scheduler.taken(runs[0]);
      runs[0].callback->run(runs[0]);
      scheduler.complete(runs[0]);
      ++ran;
    }
    return ran;
  }

  // From ready to start only. Each callback has its own group, so all may start before the first is
  // completed, outside of the measured time.
  Duration ready_to_start(Time t)
  {
    const Time begin = now();
    for (Callback * callback : chosen) {
      scheduler.ready(*callback, 1, t);
    }
    for (Run & run : runs) {
      scheduler.next(0, t, run);
    }
    const Duration took = now() - begin;
    for (Run & run : runs) {
      run.callback->run(run);
      scheduler.complete(run);
    }
    return took;
  }

  Sleepless waker;
  Scheduler scheduler;
  std::vector<Callback *> chosen;
  std::vector<Run> runs;
};

void start(benchmark::State & state, Order order)
{
  constexpr std::size_t kActive = 32;
  Fixture fixture(order, kActive, kActive);
  Duration total{};
  std::size_t rounds = 0;
  for (auto _ : state) {
    total += fixture.ready_to_start(from_ns(static_cast<std::int64_t>(++rounds)));
  }
  state.counters["ns"] = static_cast<double>(total.count()) / static_cast<double>(rounds * kActive);
}

void dispatch(benchmark::State & state, Order order, std::size_t registered, std::size_t active)
{
  Fixture fixture(order, registered, active);
  std::size_t ran = 0;
  std::size_t rounds = 0;
  const Time begin = now();
  for (auto _ : state) {
    ran += fixture.round(from_ns(static_cast<std::int64_t>(++rounds)));
  }
  const Time end = now();
  if (ran != rounds * active) {
    state.SkipWithError("not every ready callback ran once");
  }
  state.counters["ns"] =
    static_cast<double>((end - begin).count()) / static_cast<double>(std::max<std::size_t>(ran, 1));
}

void clock_read(benchmark::State & state)
{
  for (auto _ : state) {
    benchmark::DoNotOptimize(now());
  }
}

// Messages for a group of `inputs` subscriptions whose condition does not hold, so the scheduler
// looks at each input for each message.
class Conditional
{
public:
  explicit Conditional(std::size_t inputs) : scheduler_({{0}, Order::fifo}, waker_)
  {
    const auto group = std::make_shared<Group>(GroupKind::mutually_exclusive, "group");
    Condition all;
    all.count = 0;
    all.fresh = std::chrono::hours(1);
    group->set_condition(all);
    for (std::size_t i = 0; i < inputs; ++i) {
      CallbackOptions options;
      options.id = takt_core::adapter::callback_id("/node", "sub", "/topic" + std::to_string(i));
      options.kind = Kind::subscription;
      options.group = group;
      callbacks_.push_back(std::make_shared<Empty>(options));
      if (!scheduler_.add(callbacks_.back()).ok()) {
        std::abort();
      }
    }
    scheduler_.open(now());
    for (std::size_t i = 0; i + 1 < inputs; ++i) {  // all but the last one
      scheduler_.ready(*callbacks_[i], 1, now());
    }
  }

  /// Time of one message.
  double ns(std::size_t messages)
  {
    const Time begin = now();
    for (std::size_t i = 0; i < messages; ++i) {
      scheduler_.ready(*callbacks_.front(), 1, begin);
    }
    return static_cast<double>((now() - begin).count()) / static_cast<double>(messages);
  }

private:
  Sleepless waker_;
  Scheduler scheduler_;
  std::vector<std::shared_ptr<Callback>> callbacks_;
};

// What one input more adds to a message: from 2 inputs to 34.
void condition_input(benchmark::State & state)
{
  constexpr std::size_t kFew = 2;
  constexpr std::size_t kMore = 32;
  constexpr std::size_t kMessages = 1000;
  Conditional few(kFew);
  Conditional many(kFew + kMore);
  double sum = 0;
  std::size_t rounds = 0;
  for (auto _ : state) {
    const double less = few.ns(kMessages);
    sum += (many.ns(kMessages) - less) / kMore;
    ++rounds;
  }
  state.counters["ns"] = sum / static_cast<double>(rounds);
}

// The physical limit of dispatching 10,000 ready callbacks: memory of the same size and shape (the
// callback, its group and its arrival slot are separate allocations), in the same random order. It
// visits them as often as dispatch must: callback and slot to make the callback ready, all three to
// run it. It writes each line with a locked instruction, which publishing between threads needs.
void pointer_walk(benchmark::State & state, std::size_t count)
{
  struct alignas(64) Line
  {
    std::atomic<std::uint64_t> word{0};
  };
  struct Node
  {
    Node * next = nullptr;
    std::unique_ptr<Line[]> callback = std::make_unique<Line[]>((sizeof(Empty) + 63) / 64);
    std::unique_ptr<Line[]> group = std::make_unique<Line[]>((sizeof(Group) + 63) / 64);
    std::unique_ptr<Line[]> slot = std::make_unique<Line[]>(3);
  };
  std::vector<std::unique_ptr<Node>> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(std::make_unique<Node>());
  }
  std::shuffle(nodes.begin(), nodes.end(), std::mt19937(1));
  for (std::size_t i = 0; i < count; ++i) {
    nodes[i]->next = i + 1 < count ? nodes[i + 1].get() : nullptr;
  }
  std::size_t visited = 0;
  const Time begin = now();
  for (auto _ : state) {
    for (int pass = 0; pass < 2; ++pass) {
      for (Node * node = nodes.front().get(); node != nullptr; node = node->next) {
        for (std::size_t l = 0; l < (sizeof(Empty) + 63) / 64; ++l) {
          node->callback[l].word.fetch_add(1);
        }
        node->slot[0].word.fetch_add(1);
        if (pass == 1) {
          node->group[0].word.fetch_add(1);
        }
      }
    }
    visited += count;
  }
  state.counters["ns"] =
    static_cast<double>((now() - begin).count()) / static_cast<double>(visited);
}

}  // namespace

int main(int argc, char ** argv)
{
  for (const Order order : {Order::priority, Order::fifo, Order::edf, Order::window}) {
    const std::string name(to_string(order));
    const auto add = [&](const std::string & suffix, std::size_t registered, std::size_t active) {
      benchmark::RegisterBenchmark((name + suffix).c_str(), dispatch, order, registered, active);
    };
    benchmark::RegisterBenchmark((name + "_ready_to_start").c_str(), start, order);
    add("_10_of_10", 10, 10);
    add("_10_of_10000", 10000, 10);
    add("_10000_of_10000", 10000, 10000);
  }
  benchmark::RegisterBenchmark("pointer_walk_10000", pointer_walk, 10000);
  benchmark::RegisterBenchmark("clock_read", clock_read);
  benchmark::RegisterBenchmark("condition_input", condition_input);

  std::vector<takt_bench::Limit> limits;
  for (const std::string order : {"priority", "fifo", "edf", "window"}) {
    limits.push_back({order + "_ready_to_start", "", 100, order + ": dispatch, ready to start"});
    limits.push_back(
      {order + "_10_of_10000", order + "_10_of_10", 1.2, order + ": 10 ready of 10,000 / of 10"});
  }
  for (const std::string order : {"priority", "fifo", "window"}) {
    // This does not compare the whole dispatch with the walk. A dispatch also computes; the limit
    // above covers that. The ratio of dispatch and walk depends on the speed of the machine's
    // memory (1.2 on one machine, 2.4 on another). Only the memory may make many callbacks cost
    // more than ten.
    limits.push_back(
      {order + "_10000_of_10000", "pointer_walk_10000", 1.5,
       order + ": what 10,000 ready add over 10 / pointer walk", order + "_10_of_10"});
  }
  limits.push_back({"condition_input", "", 100, "look at a condition, for each input"});
  return takt_bench::run(argc, argv, limits);
}
