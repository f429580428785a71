#include "systems/kinds_of_system.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "takt_plan/draw.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

constexpr Ns kUnit = 1'000'000;
constexpr std::array<Ns, 4> kPeriods{20 * kUnit, 40 * kUnit, 50 * kUnit, 100 * kUnit};
constexpr Ns kUnderWay = kUnit / 2;
constexpr Ns kLeastLoad = 30;  // in percent, of the core with the highest load
constexpr Ns kMostLoad = 85;

class KindOfSystem
{
public:
  KindOfSystem(Kind kind, bool phases, std::uint64_t seed)
  : draw_(seed * 64 + static_cast<std::uint64_t>(kind)),
    phases_(phases)
  {
    model_.hosts = {"car"};
    add_executor();
  }

  Model make(Kind kind)
  {
    add(kind);
    scale();
    add_chains();
    return std::move(model_);
  }

private:
  Ns pick(Ns least, Ns most) { return draw_.between(least, most); }

  void add_executor()
  {
    model_.executors.push_back("process" + std::to_string(model_.executors.size()));
    model_.epochs.push_back(takt_core::Epoch::start);
  }

  void add_core() { model_.cores.push_back({0, static_cast<int>(model_.cores.size())}); }

  Index thread(Index core, takt_core::Order order = takt_core::Order::priority)
  {
    Thread one;
    one.name = "thread" + std::to_string(model_.threads.size());
    one.executor = model_.executors.size() - 1;
    one.kind = ThreadClass::fixed_priority;
    // All priorities differ.
    one.priority = static_cast<int>(
      10 * pick(1, 8) + static_cast<Ns>(std::min<std::size_t>(model_.threads.size(), 9)));
    one.cores = {core};
    one.order = order;
    model_.threads.push_back(std::move(one));
    return model_.threads.size() - 1;
  }

  Index task(Index thread)
  {
    Task one;
    one.id = "/c" + std::to_string(model_.tasks.size());
    one.executor = model_.threads[thread].executor;
    one.threads = {thread};
    one.priority = static_cast<int>(10 * pick(1, 9) + static_cast<Ns>(model_.tasks.size()));
    one.time = pick(10, 100);
    model_.tasks.push_back(std::move(one));
    return model_.tasks.size() - 1;
  }

  Index timer(Index thread, Ns period = 0)
  {
    const Index index = task(thread);
    Release release;
    release.period = period > 0 ? period : kPeriods[static_cast<std::size_t>(pick(0, 3))];
    const Ns offset = pick(0, release.period / kUnit - 1) * kUnit;
    if (phases_) {
      release.offset = offset;
    }
    model_.tasks[index].release = release;
    model_.tasks[index].timer = true;
    return index;
  }

  Index sub(Index thread, std::initializer_list<Index> from, bool set = false)
  {
    const Index index = task(thread);
    Task & one = model_.tasks[index];
    for (const Index sender : from) {
      const bool leaves = model_.tasks[sender].executor != one.executor;
      one.triggers.push_back({sender, leaves ? kUnderWay : 0, one.triggers.size()});
    }
    one.newest = set;
    return index;
  }

  void add(Kind kind)
  {
    add_core();
    switch (kind) {
      case Kind::one_thread:
      case Kind::one_fifo_thread:
        return add_timers(thread(
          0, kind == Kind::one_thread ? takt_core::Order::priority : takt_core::Order::fifo));
      case Kind::own_threads:
        for (Ns count = pick(3, 6); count > 0; --count) {
          timer(thread(0));
        }
        return;
      case Kind::three_threads:
        return add_over_threads();
      case Kind::two_ways:
        return add_two_ways();
      case Kind::two_timers:
        return add_two_timers();
      case Kind::one_over_cores:
        return add_over_cores(1);
      case Kind::over_cores:
        return add_over_cores(pick(2, 3));
      case Kind::processes:
        return add_processes();
      case Kind::equal_set:
      case Kind::set:
      case Kind::set_over_cores:
        add_set(kind);
        timer(some_thread());
        return;
      case Kind::two_sets:
        break;
    }
    const Index first = add_set(kind);
    const Index second = sub(some_thread(), {first, timer(some_thread())}, true);
    sub(some_thread(), {second});
  }

  Index some_thread()
  {
    return static_cast<Index>(pick(0, static_cast<Ns>(model_.threads.size()) - 1));
  }

  void add_timers(Index on)
  {
    for (Ns count = pick(3, 6); count > 0; --count) {
      timer(on);
    }
  }

  void add_over_threads()
  {
    for (int i = 0; i < 3; ++i) {
      thread(0);
    }
    for (Ns count = pick(2, 4); count > 0; --count) {
      const Index second = sub(some_thread(), {timer(some_thread())});
      sub(some_thread(), {second});
    }
  }

  void add_two_ways()
  {
    thread(0);
    thread(0);
    const Index root = timer(some_thread());
    const Index left = sub(some_thread(), {root});
    const Index right = sub(some_thread(), {root});
    sub(some_thread(), {left, right});
    timer(some_thread());
  }

  void add_two_timers()
  {
    thread(0);
    thread(0);
    const Index one = timer(some_thread());
    sub(some_thread(), {one, timer(some_thread())});
    timer(some_thread());
  }

  void add_over_cores(Ns chains)
  {
    add_core();
    thread(0);
    thread(1);
    for (; chains > 0; --chains) {
      const Index begin = static_cast<Index>(pick(0, 1));
      Index last = timer(begin);
      for (Index i = 1; i < 6; ++i) {
        last = sub((begin + i) % 2, {last});
      }
    }
  }

  void add_processes()
  {
    add_core();
    for (Index process = 0; process < 2; ++process) {
      if (process > 0) {
        add_executor();
      }
      thread(0);
      thread(1);
    }
    for (takt_core::Epoch & epoch : model_.epochs) {
      epoch = takt_core::Epoch::host;
    }
    for (Ns count = pick(2, 3); count > 0; --count) {
      Index last = timer(some_thread());
      for (int i = 0; i < 3; ++i) {
        last = sub(some_thread(), {last});
      }
    }
  }

  /// Adds a callback behind the set.
  Index add_set(Kind kind)
  {
    thread(0);
    thread(0);
    Index sensors = some_thread();
    if (kind == Kind::set_over_cores) {
      add_core();
      sensors = thread(1);
    }
    const Index front = timer(sensors);
    const Ns period = kind == Kind::equal_set ? model_.tasks[front].release->period : 0;
    const Index rear =
      timer(kind == Kind::set_over_cores ? sensors : static_cast<Index>(pick(0, 1)), period);
    const Index both = sub(static_cast<Index>(pick(0, 1)), {front, rear}, true);
    return sub(static_cast<Index>(pick(0, 1)), {both});
  }

  /// The average number of times that a task works in a second.
  double rate(Index index) const
  {
    const Task & of = model_.tasks[index];
    if (of.release) {
      return 1e9 / static_cast<double>(of.release->period);
    }
    double sum = 0;
    double least = std::numeric_limits<double>::max();
    for (const Link & link : of.triggers) {
      sum += rate(link.from);
      least = std::min(least, rate(link.from));
    }
    return of.newest ? least : sum;
  }

  void scale()
  {
    std::vector<double> loads(model_.cores.size());
    for (Index index = 0; index < model_.tasks.size(); ++index) {
      const Task & of = model_.tasks[index];
      loads[model_.threads[of.threads.front()].cores.front()] +=
        static_cast<double>(of.time) * rate(index) / 1e9;
    }
    const double most = *std::max_element(loads.begin(), loads.end());
    const double factor = static_cast<double>(pick(kLeastLoad, kMostLoad)) / 100 / most;
    for (Task & of : model_.tasks) {
      of.time = static_cast<Ns>(static_cast<double>(of.time) * factor);
    }
  }

  bool starts_none(Index index) const
  {
    return std::none_of(model_.tasks.begin(), model_.tasks.end(), [&](const Task & of) {
      return std::any_of(of.triggers.begin(), of.triggers.end(), [&](const Link & link) {
        return link.from == index;
      });
    });
  }

  void add_chains()
  {
    std::vector<std::vector<Index>> ways;
    for (Index index = 0; index < model_.tasks.size(); ++index) {
      if (model_.tasks[index].release) {
        ways.push_back({index});
      }
    }
    for (Index way = 0; way < ways.size(); ++way) {
      if (starts_none(ways[way].back())) {
        model_.chains.push_back({"chain" + std::to_string(model_.chains.size()), ways[way]});
        continue;
      }
      for (Index index = 0; index < model_.tasks.size(); ++index) {
        for (const Link & link : model_.tasks[index].triggers) {
          if (link.from == ways[way].back()) {
            ways.push_back(ways[way]);
            ways.back().push_back(index);
            break;
          }
        }
      }
    }
  }

  Draw draw_;
  bool phases_;
  Model model_;
};

}  // namespace

std::string_view to_string(Kind kind)
{
  switch (kind) {
    case Kind::one_thread:
      return "timers on one thread, order priority";
    case Kind::one_fifo_thread:
      return "timers on one thread, order fifo";
    case Kind::own_threads:
      return "timers on a thread each";
    case Kind::three_threads:
      return "chains over three threads of one core";
    case Kind::two_ways:
      return "two ways of one timer that meet again";
    case Kind::two_timers:
      return "two timers that start one callback";
    case Kind::one_over_cores:
      return "one chain over two cores, back and forth";
    case Kind::over_cores:
      return "several such chains";
    case Kind::processes:
      return "chains over two processes and two cores";
    case Kind::equal_set:
      return "a set of two timers of one period, one core";
    case Kind::set:
      return "a set of any two timers, one core";
    case Kind::set_over_cores:
      return "the same, timers on another core";
    case Kind::two_sets:
      break;
  }
  return "two sets, one after the other";
}

Model system_of(Kind kind, bool phases, std::uint64_t seed)
{
  return KindOfSystem(kind, phases, seed).make(kind);
}

}  // namespace takt_bench
