#include "support/random_pool_model.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "model/streams.hpp"
#include "models/close_releases.hpp"

namespace takt_plan::test
{
namespace
{

constexpr Ns kPeriods[] = {400, 500, 600, 800, 1000, 1200, 2000};
constexpr std::size_t kMostChains = 12;

class Generator
{
public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Model generate()
  {
    model_.hosts = {"car"};
    switch (pick(0, 19)) {
      case 0:
        interrupt_each_task();
        return std::move(model_);
      case 1:
        park_again_and_again();
        return std::move(model_);
      default:
        break;
    }
    const int pools = pick(0, 3) < 2 ? 1 : pick(2, 3);
    for (int i = 0; i < pools; ++i) {
      add_pool();
    }
    // With few tasks, responses come close to their bounds. With many, more kinds of interference
    // occur.
    const bool few = pick(0, 1) == 0;
    const int sources = pick(2, few ? 3 : 6) + pools - 1;
    for (int i = 0; i < sources; ++i) {
      add_source();
    }
    const int subs = pick(0, few ? 3 : 9);
    for (int i = 0; i < subs; ++i) {
      add_sub();
    }
    scale();
    add_chains();
    return std::move(model_);
  }

private:
  struct Pool
  {
    std::vector<Index> threads;
    bool partly = false;  ///< tasks may be bound to some of its threads
    std::vector<Index> groups;
  };

  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void add_pool()
  {
    const bool fifo = pick(0, 3) == 0;
    add_threads(pick(2, 4), fifo ? takt_core::Order::fifo : takt_core::Order::priority);
    Pool & pool = pools_.back();
    pool.partly = pick(0, 1) == 0;
    const int groups = pick(0, 3);
    for (int i = 0; i < groups; ++i) {
      pool.groups.push_back(model_.groups.size());
      model_.groups.push_back({"g" + std::to_string(model_.groups.size()), pick(0, 2) != 0});
    }
  }

  void add_threads(int threads, takt_core::Order order)
  {
    Pool pool;
    const Index executor = model_.executors.size();
    model_.executors.push_back("pool" + std::to_string(executor));
    for (int i = 0; i < threads; ++i) {
      Thread thread;
      thread.name = "t" + std::to_string(model_.threads.size());
      thread.executor = executor;
      thread.kind = ThreadClass::fixed_priority;
      thread.priority = pick(1, 3) * 10;
      thread.cores = {model_.cores.size()};
      thread.order = order;
      pool.threads.push_back(model_.threads.size());
      model_.cores.push_back({0, static_cast<int>(model_.cores.size())});
      model_.threads.push_back(std::move(thread));
    }
    pools_.push_back(std::move(pool));
  }

  // ---- systems in which rare events happen as often as possible ----

  static constexpr Ns kRare = 20'000;

  Index add_fixed(int priority, Ns time, Ns period, Ns offset)
  {
    const Index index = add_task(0);
    Task & task = model_.tasks[index];
    task.priority = priority;
    task.time = time;
    task.release = Release{period, 0, offset};
    task.timer = true;
    return index;
  }

  /// When a task of a long chain ends, a more urgent task takes its thread, and a less urgent one
  /// has just begun on the other thread.
  void interrupt_each_task()
  {
    add_threads(2, takt_core::Order::priority);
    const int tasks = pick(10, 25);
    const Ns time = pick(10, 20);
    Chain chain{"long", {add_fixed(50, time, kRare, 0)}, 0, kUnbounded};
    for (int i = 1; i < tasks; ++i) {
      const Index next = add_task(0);
      model_.tasks[next].priority = 50;
      model_.tasks[next].time = time;
      model_.tasks[next].triggers = {{next - 1, 0, 0}};
      chain.path.push_back(next);
    }
    const Ns urgent = pick(5, 8);
    for (Ns i = 0; i < urgent; ++i) {
      add_fixed(90, time, 2 * time * urgent, 2 * time * i + time);
    }
    for (int i = 0; i < tasks; ++i) {
      add_fixed(10, time + pick(1, 3), kRare, 2 * time * i + time - 1);
    }
    model_.chains.push_back(std::move(chain));
  }

  /// While a task is parked, less urgent tasks begin. While it is not, more urgent tasks precede
  /// it. Before its turn comes, its group is taken again.
  void park_again_and_again()
  {
    add_threads(2, takt_core::Order::priority);
    model_.groups.push_back({"g", true});
    const Ns time = pick(10, 40);
    const Index mate = add_fixed(90, time, 2 * time, 0);
    add_fixed(90, time, 2 * time, time);
    const Index parked = add_fixed(50, time, kRare, 0);
    model_.tasks[mate].group = model_.tasks[parked].group = 0;
    const int lower = pick(10, 20);
    for (int i = 0; i < lower; ++i) {
      add_fixed(10, 2 * time, kRare, 0);
    }
    model_.chains.push_back({"parked", {parked}, 0, kUnbounded});
  }

  // ---- random systems ----

  std::vector<Index> threads_of(const Pool & pool)
  {
    std::vector<Index> threads = pool.threads;
    if (pool.partly && pick(0, 1) == 0) {
      std::shuffle(threads.begin(), threads.end(), random_);
      threads.resize(static_cast<std::size_t>(pick(1, static_cast<int>(threads.size()) - 1)));
      std::sort(threads.begin(), threads.end());
    }
    return threads;
  }

  Index add_task(Index executor)
  {
    const Pool & pool = pools_[executor];
    Task task;
    task.id = "/c" + std::to_string(model_.tasks.size());
    task.executor = executor;
    task.threads = threads_of(pool);
    task.priority = pick(0, 6);
    task.time = pick(1, 100);
    if (!pool.groups.empty() && pick(0, 1) == 0) {
      task.group =
        pool.groups[static_cast<Index>(pick(0, static_cast<int>(pool.groups.size()) - 1))];
      // Mostly on the threads where the group's other tasks are.
      for (const Task & mate : model_.tasks) {
        if (mate.group == task.group && pick(0, 3) != 0) {
          task.threads = mate.threads;
        }
      }
    }
    model_.tasks.push_back(std::move(task));
    return model_.tasks.size() - 1;
  }

  Index any_executor() { return static_cast<Index>(pick(0, static_cast<int>(pools_.size()) - 1)); }

  void add_source()
  {
    const Index index = add_task(any_executor());
    Task & task = model_.tasks[index];
    Release release;
    release.period = kPeriods[pick(0, std::size(kPeriods) - 1)];
    release.jitter = pick(0, 3) == 0 ? pick(0, 6) * release.period / 4 : 0;
    task.release = release;
    task.timer = pick(0, 2) != 0;
  }

  void add_sub()
  {
    const int tasks = static_cast<int>(model_.tasks.size());
    // Often the last task, so that chains become long.
    const auto any_task = [&] {
      return static_cast<Index>(pick(0, 1) == 0 ? tasks - 1 : pick(0, tasks - 1));
    };
    const Index from = any_task();
    const bool stays = pick(0, 3) != 0;
    const Index index = add_task(stays ? model_.tasks[from].executor : any_executor());
    Task & task = model_.tasks[index];
    if (stays && pick(0, 1) == 0 && task.group == kNone) {
      task.threads = model_.tasks[from].threads;
    }
    task.triggers.push_back({from, 0, 0});
    if (pick(0, 7) == 0) {
      task.triggers.push_back({any_task(), 0, 1});
      task.all = pick(0, 1) == 0;
    }
    for (Link & link : task.triggers) {
      link.delay = pick(0, 5) == 0 ? pick(1, 200) : 0;
    }
  }

  /// The largest load on which a task depends: of its exclusive group on one thread, and of all
  /// tasks that may run on one of its threads.
  double fullest() const
  {
    const detail::Streams streams(model_, in_trigger_order(model_));
    std::map<Index, double> groups;
    double most = 0;
    for (Index index = 0; index < model_.tasks.size(); ++index) {
      const Task & task = model_.tasks[index];
      const double load = streams.rate(index) * static_cast<double>(task.cost());
      const bool in_group = task.group != kNone;
      if (!in_group || model_.groups[task.group].exclusive) {
        most = std::max(most, in_group ? groups[task.group] += load : load);
      }
      double around = 0;
      for (Index other = 0; other < model_.tasks.size(); ++other) {
        const std::vector<Index> & threads = model_.tasks[other].threads;
        if (
          std::find_first_of(
            threads.begin(), threads.end(), task.threads.begin(), task.threads.end()) !=
          threads.end()) {
          around += streams.rate(other) * static_cast<double>(model_.tasks[other].cost());
        }
      }
      most = std::max(most, around / static_cast<double>(task.threads.size()));
    }
    return most;
  }

  void scale()
  {
    const double factor = pick(15, 75) / 100.0 / fullest();
    for (Task & task : model_.tasks) {
      task.time = static_cast<Ns>(static_cast<double>(task.time) * factor);
    }
  }

  void add_chains()
  {
    std::vector<std::vector<Index>> ways;
    for (Index i = 0; i < model_.tasks.size(); ++i) {
      if (model_.tasks[i].release) {
        ways.push_back({i});
      }
    }
    for (Index i = 0; i < ways.size(); ++i) {
      for (Index task = 0; task < model_.tasks.size() && ways.size() < 4 * kMostChains; ++task) {
        const auto & triggers = model_.tasks[task].triggers;
        if (std::any_of(triggers.begin(), triggers.end(), [&](const Link & link) {
              return link.from == ways[i].back();
            })) {
          ways.push_back(ways[i]);
          ways.back().push_back(task);
        }
      }
    }
    std::shuffle(ways.begin(), ways.end(), random_);
    ways.resize(std::min(ways.size(), kMostChains));
    for (auto & way : ways) {
      Chain chain;
      chain.name = "chain" + std::to_string(model_.chains.size());
      chain.path = std::move(way);
      model_.chains.push_back(std::move(chain));
    }
  }

  std::mt19937_64 random_;
  Model model_;
  std::vector<Pool> pools_;
};

}  // namespace

Model random_pool_model(std::uint64_t seed)
{
  return with_room(Generator(seed).generate(), seed);
}

}  // namespace takt_plan::test
