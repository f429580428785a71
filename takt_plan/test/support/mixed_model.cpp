#include "support/mixed_model.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "model/streams.hpp"
#include "support/random_model.hpp"

namespace takt_plan::test
{
namespace
{

using takt_core::Order;
using takt_core::WindowTimers;

class Mixer
{
public:
  explicit Mixer(std::uint64_t seed) : random_(seed * 7919), model_(random_model(seed)) {}

  Model mix()
  {
    // Less load than possible: windows, budgets and their gaps take more.
    const int percent = pick(30, 80);
    for (Task & task : model_.tasks) {
      task.time = task.time * percent / 100;
      task.timer = task.timer && pick(0, 3) != 0;
    }
    if (pick(0, 2) == 0) {
      add_ceilings();
    }
    const bool everywhere = pick(0, 4) == 0;
    for (Index core = 0; core < model_.cores.size(); ++core) {
      if (everywhere || pick(0, 2) == 0) {
        reserve(core, everywhere);
      }
      if (pick(0, 3) != 0) {
        add_windows(core);
      }
    }
    return std::move(model_);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  bool is_on(const Thread & thread, Index core) const { return thread.cores.front() == core; }

  void add_ceilings()
  {
    for (Task & task : model_.tasks) {
      task.middleware = pick(0, 8);
    }
    for (Thread & thread : model_.threads) {
      thread.ceiling = 95;
    }
  }

  void add_windows(Index core)
  {
    for (Thread & thread : model_.threads) {
      if (is_on(thread, core) && thread.kind == ThreadClass::fixed_priority && pick(0, 1) == 0) {
        thread.order = Order::window;
        thread.window_timers = pick(0, 1) == 0 ? WindowTimers::snapshot : WindowTimers::immediate;
      }
    }
  }

  /// Moves some of the threads on a core, or all of them, to policy deadline.
  void reserve(Index core, bool everywhere)
  {
    const bool all = pick(0, 1) == 0;
    std::vector<Index> chosen;
    double sum = 0;
    for (Index i = 0; i < model_.threads.size(); ++i) {
      const bool fixed = model_.threads[i].kind == ThreadClass::fixed_priority;
      if (fixed && is_on(model_.threads[i], core) && (all || pick(0, 1) == 0)) {
        chosen.push_back(i);
        sum += wanted(i);
      }
    }
    // The needed share, and a part of the rest. On several cores the kernel admits less.
    const double most = everywhere ? 0.6 : 1.0;
    const double factor = sum < most ? 1 + (most / sum - 1) * pick(0, 100) / 100.0 : 1.0;
    for (const Index thread : chosen) {
      reserve_for(model_.threads[thread], wanted(thread), factor);
      if (everywhere) {
        model_.threads[thread].cores.clear();
        for (Index i = 0; i < model_.cores.size(); ++i) {
          model_.threads[thread].cores.push_back(i);
        }
      }
    }
  }

  void reserve_for(Thread & thread, double share, double factor)
  {
    constexpr Ns kPeriods[] = {40, 50, 80, 100, 200};
    constexpr Order kOrders[] = {Order::priority, Order::fifo, Order::window};
    thread.order = kOrders[pick(0, 2)];
    thread.window_timers = pick(0, 1) == 0 ? WindowTimers::snapshot : WindowTimers::immediate;
    Reservation & asked = thread.reservation;
    asked.period = kPeriods[pick(0, std::size(kPeriods) - 1)];
    // A deadline before the end of the period needs some slack.
    asked.deadline = factor > 1.3 && pick(0, 1) == 0 ? asked.period * 4 / 5 : asked.period;
    asked.runtime =
      std::max<Ns>(static_cast<Ns>(share * factor * static_cast<double>(asked.deadline)), 1);
    thread.kind = ThreadClass::deadline;
    thread.priority = 0;
  }

  /// The share of a core that the thread's tasks need, plus a little.
  double wanted(Index thread) const
  {
    const detail::Streams streams(model_, in_trigger_order(model_));
    double sum = 0.02;
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      if (model_.tasks[task].threads.front() == thread) {
        sum += streams.rate(task) * static_cast<double>(model_.tasks[task].cost());
      }
    }
    return sum;
  }

  std::mt19937_64 random_;
  Model model_;
};

}  // namespace

Model mixed_model(std::uint64_t seed)
{
  return Mixer(seed).mix();
}

}  // namespace takt_plan::test
