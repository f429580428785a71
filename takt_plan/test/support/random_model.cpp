#include "support/random_model.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "model/streams.hpp"
#include "models/close_releases.hpp"
#include "support/example.hpp"

namespace takt_plan::test
{
namespace
{

using detail::Streams;

constexpr Ns kPeriods[] = {400, 500, 600, 800, 1000, 1200, 2000};

class Generator
{
public:
  explicit Generator(std::uint64_t seed) : random_(seed), example_(pick(1, 2)) {}

  Model generate()
  {
    add_threads();
    const int timers = pick(1, 4);
    for (int i = 0; i < timers; ++i) {
      const Index task = example_.timer(
        any_thread(), priority(), kPeriods[pick(0, std::size(kPeriods) - 1)], pick(1, 100));
      if (pick(0, 3) == 0) {
        // Up to one and a half periods, so that several releases may come at once.
        Release & release = *example_.model.tasks[task].release;
        release.jitter = pick(0, 6) * release.period / 4;
      }
    }
    const int subs = pick(1, 7);
    for (int i = 0; i < subs; ++i) {
      add_sub();
    }
    if (pick(0, 4) == 0) {
      const Index core = static_cast<Index>(pick(0, static_cast<int>(cores()) - 1));
      example_.model.others.push_back({"irq", pick(1, 9) * 10, {core}, pick(1, 60), 500});
    }
    scale();
    add_chains();
    return std::move(example_.model);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  Index cores() const { return example_.model.cores.size(); }
  Index any_thread() { return static_cast<Index>(pick(0, static_cast<int>(threads_) - 1)); }
  int priority() { return pick(0, 6); }

  void add_threads()
  {
    for (Index core = 0; core < cores(); ++core) {
      const int count = pick(1, 3);
      for (int i = 0; i < count; ++i) {
        const Index thread = example_.thread(core, pick(1, 9) * 10);
        if (pick(0, 4) == 0) {
          example_.model.threads[thread].order = takt_core::Order::fifo;
        }
        ++threads_;
      }
    }
  }

  void add_sub()
  {
    const int tasks = static_cast<int>(example_.model.tasks.size());
    const auto any_task = [&] {
      // Often the last task, so that chains become long.
      return static_cast<Index>(pick(0, 1) == 0 ? tasks - 1 : pick(0, tasks - 1));
    };
    const Index thread = pick(0, 1) == 0
                           ? example_.model.tasks[static_cast<Index>(tasks - 1)].threads.front()
                           : any_thread();
    const Index task = example_.sub(thread, priority(), {any_task()}, pick(1, 100));
    Task & model = example_.model.tasks[task];
    if (pick(0, 5) == 0) {
      model.triggers.push_back({any_task(), 0, 1});
      model.all = pick(0, 1) == 0;
    }
    for (Link & link : model.triggers) {
      link.delay = pick(0, 4) == 0 ? pick(1, 200) : 0;
    }
  }

  /// Scales the times so that the busiest core has a load between 30 % and 95 %.
  void scale()
  {
    double most = 0;
    for (Index core = 0; core < cores(); ++core) {
      most = std::max(most, utilization(example_.model, core));
    }
    const double factor = pick(30, 95) / 100.0 / most;
    for (Task & task : example_.model.tasks) {
      task.time = static_cast<Ns>(static_cast<double>(task.time) * factor);
    }
    for (OtherLoad & other : example_.model.others) {
      other.time = static_cast<Ns>(static_cast<double>(other.time) * factor);
    }
  }

  void add_chains()
  {
    std::vector<std::vector<Index>> ways;
    for (Index i = 0; i < example_.model.tasks.size(); ++i) {
      if (example_.model.tasks[i].release) {
        ways.push_back({i});
      }
    }
    for (Index i = 0; i < ways.size() && ways.size() < 50; ++i) {
      for (Index task = 0; task < example_.model.tasks.size(); ++task) {
        for (const Link & link : example_.model.tasks[task].triggers) {
          if (link.from == ways[i].back()) {
            ways.push_back(ways[i]);
            ways.back().push_back(task);
            break;  // two topics of one sender count as one way
          }
        }
      }
    }
    for (auto & way : ways) {
      example_.chain(std::move(way));
    }
  }

  std::mt19937_64 random_;
  Example example_;
  Index threads_ = 0;
};

}  // namespace

Model random_model(std::uint64_t seed)
{
  return with_room(Generator(seed).generate(), seed);
}

Model on_window_threads(Model model)
{
  model.others.clear();
  std::vector<Index> first(model.cores.size(), kNone);
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    model.threads[thread].order = takt_core::Order::window;
    Index & of_core = first[model.threads[thread].cores.front()];
    of_core = of_core == kNone ? thread : of_core;
  }
  for (Task & task : model.tasks) {
    task.threads = {first[model.threads[task.threads.front()].cores.front()]};
    task.time = task.time * 9 / 10;
  }
  return model;
}

double utilization(const Model & model, Index core)
{
  const Streams streams(model, in_trigger_order(model));
  double sum = 0;
  for (const detail::Stream & stream : streams.all()) {
    const Task & task = model.tasks[stream.task];
    if (model.threads[task.threads.front()].cores.front() == core) {
      sum += static_cast<double>(task.cost()) / static_cast<double>(stream.period);
    }
  }
  for (const OtherLoad & other : model.others) {
    if (other.cores.front() == core) {
      sum += static_cast<double>(other.time) / static_cast<double>(other.period);
    }
  }
  return sum;
}

}  // namespace takt_plan::test
