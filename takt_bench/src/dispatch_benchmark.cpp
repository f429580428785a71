// Dispatch without threads: from ready to start on the same thread, empty callback, no observer.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "ratio_reporter.hpp"
#include "takt_core/scheduler.hpp"

namespace
{

using namespace takt_core;  // NOLINT: a benchmark's own file

struct Sleepless final : Waker
{
  void wake(std::uint32_t) noexcept override {}
};

struct Empty final : Callback
{
  using Callback::Callback;
  void run(const Run &) override {}
};

// `registered` callbacks on one thread, of which `active` become ready per round; a round makes all
// of them ready and dispatches all of them. Callbacks lie and are chosen in random order, so that
// nothing gains from the allocator's neatness.
struct Fixture
{
  Fixture(Order order, std::size_t registered, std::size_t active)
  : scheduler({{0}, order, WindowTimers::snapshot}, waker)
  {
    std::vector<std::shared_ptr<Callback>> all;
    for (std::size_t i = 0; i < registered; ++i) {
      CallbackOptions options;
      options.id = "/node" + std::to_string(i) + ":sub(/topic)";
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

  std::size_t round()
  {
    const Time t = now();
    for (Callback * callback : chosen) {
      scheduler.ready(*callback, 1, t);
    }
    std::size_t ran = 0;
    while (scheduler.next(0, now(), run)) {
      scheduler.taken(run);
      run.callback->run(run);
      scheduler.complete(run);
      ++ran;
    }
    return ran;
  }

  Sleepless waker;
  Scheduler scheduler;
  std::vector<Callback *> chosen;
  Run run;
};

void dispatch(benchmark::State & state, Order order, std::size_t registered, std::size_t active)
{
  Fixture fixture(order, registered, active);
  std::size_t ran = 0;
  std::size_t rounds = 0;
  const Time begin = now();
  for (auto _ : state) {
    ran += fixture.round();
    ++rounds;
  }
  const Time end = now();
  if (ran != rounds * active) {
    state.SkipWithError("not every ready callback ran once");
  }
  state.counters["ns"] =
    static_cast<double>((end - begin).count()) / static_cast<double>(std::max<std::size_t>(ran, 1));
}

// The physical limit of dispatching 10,000 ready callbacks: the same memory (a callback, its group
// and its arrival slot), visited in the same random order as often as a dispatch has to visit it
// (once to make it ready, once to run it), with one write per cache line and nothing else.
void pointer_walk(benchmark::State & state, std::size_t count)
{
  constexpr std::size_t kBytes = sizeof(Empty) + sizeof(Group) + 192;
  struct alignas(64) Node
  {
    Node * next;
    char rest[(kBytes + 63) / 64 * 64 - sizeof(Node *)];
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
        for (std::size_t at = 0; at < sizeof(node->rest); at += 64) {
          ++node->rest[at];
        }
        benchmark::ClobberMemory();
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
    add("_one", 1, 1);
    add("_10_of_10", 10, 10);
    add("_10_of_10000", 10000, 10);
    add("_10000_of_10000", 10000, 10000);
  }
  benchmark::RegisterBenchmark("pointer_walk_10000", pointer_walk, 10000);

  std::vector<takt_bench::Limit> limits;
  for (const std::string order : {"priority", "fifo", "edf", "window"}) {
    limits.push_back({order + "_one", "", 100, order + ": dispatch, ready to complete"});
    limits.push_back(
      {order + "_10_of_10000", order + "_10_of_10", 1.2, order + ": 10 ready of 10,000 / of 10"});
  }
  for (const std::string order : {"priority", "fifo", "window"}) {
    limits.push_back(
      {order + "_10000_of_10000", "pointer_walk_10000", 1.5,
       order + ": 10,000 ready / pointer walk"});
  }
  return takt_bench::run(argc, argv, limits);
}
