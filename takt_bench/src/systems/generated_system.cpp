#include "systems/generated_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "takt_core/adapter/callback_ids.hpp"
#include "takt_plan/draw.hpp"

namespace takt_bench
{

using namespace takt_plan;  // NOLINT: all of it is about its models

namespace
{

using takt_rt::Duration;

constexpr Ns kMs = 1'000'000;
constexpr std::array<Ns, 5> kPeriods{50, 100, 200, 500, 1'000};  // ms

double unit(takt_plan::Draw & draw)
{
  constexpr Ns kSteps = Ns{1} << 52;
  return static_cast<double>(draw.between(1, kSteps)) / static_cast<double>(kSteps);
}

/// `count` random shares of `sum`, uniformly distributed over all such shares (Bini and Buttazzo
/// 2005).
std::vector<double> shares(takt_plan::Draw & draw, int count, double sum)
{
  std::vector<double> result;
  for (int left = count - 1; left > 0; --left) {
    const double rest = sum * std::pow(unit(draw), 1.0 / left);
    result.push_back(sum - rest);
    sum = rest;
  }
  result.push_back(sum);
  return result;
}

Ns period_of(PhasesOf phases, takt_plan::Draw & draw)
{
  if (phases == PhasesOf::any_period) {
    return static_cast<Ns>(50 * std::pow(20.0, unit(draw))) * kMs;
  }
  return kPeriods[static_cast<std::size_t>(draw.between(0, kPeriods.size() - 1))] * kMs;
}

takt_schedule::HostModel host_of(int cores)
{
  takt_schedule::HostModel host;
  host.name = "car";
  host.utilization_cap = 1.0;  // as in the publications
  host.cores.resize(static_cast<std::size_t>(cores));
  std::iota(host.cores.begin(), host.cores.end(), 0);
  return host;
}

takt_schedule::CallbackModel callback_of(Ns time)
{
  takt_schedule::CallbackModel callback;
  callback.executor = "main";
  callback.host = "car";
  callback.time.worst = Duration(std::max<Ns>(time, 1));
  callback.time.best = callback.time.worst;
  return callback;
}

}  // namespace

takt_schedule::System generated_system(const Shape & shape, std::uint64_t seed)
{
  takt_plan::Draw draw(seed);
  std::vector<double> load;
  do {
    load = shares(draw, shape.chains, shape.utilization);
  } while (*std::max_element(load.begin(), load.end()) > 1);
  takt_schedule::System system;
  system.file = "generated.yaml";
  system.hosts = {host_of(shape.cores)};
  for (int c = 0; c < shape.chains; ++c) {
    const Ns period = period_of(shape.phases, draw);
    const std::string name = "c" + std::to_string(c);
    takt_schedule::ChainSchedule chain;
    chain.options.name = name;
    chain.options.deadline = Duration(period);
    const auto work = shares(
      draw, shape.callbacks, load[static_cast<std::size_t>(c)] * static_cast<double>(period));
    for (int i = 0; i < shape.callbacks; ++i) {
      const std::string node = "/" + name + "_" + std::to_string(i);
      auto callback = callback_of(static_cast<Ns>(work[static_cast<std::size_t>(i)]));
      if (i == 0) {
        callback.id = takt_core::adapter::timer_id(node, Duration(period));
        callback.period = Duration(period);
        callback.any_phase = shape.phases == PhasesOf::unknown;
        if (shape.phases == PhasesOf::known) {
          callback.offset = Duration(draw.between(0, period / kMs - 1) * kMs);
        }
      } else {
        const std::string topic = "/" + name + "_" + std::to_string(i - 1);
        callback.id = takt_core::adapter::callback_id(node, "sub", topic);
        callback.triggers = {topic};
      }
      if (i + 1 < shape.callbacks) {
        callback.publishes = {node};
      }
      chain.options.path.push_back(callback.id);
      system.callbacks.push_back(std::move(callback));
    }
    system.chains.push_back(std::move(chain));
  }
  std::vector<std::size_t> order(system.chains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[static_cast<std::size_t>(draw.between(0, static_cast<Ns>(i)))]);
  }
  if (shape.by_deadline) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return system.chains[a].options.deadline < system.chains[b].options.deadline;
    });
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    system.chains[order[i]].options.priority = static_cast<int>(order.size() - i);
  }
  return system;
}

takt_schedule::System small_system(double load, std::uint64_t seed)
{
  takt_plan::Draw draw(seed);
  takt_schedule::System system;
  system.file = "small.yaml";
  const int cores = static_cast<int>(draw.between(1, 2));
  system.hosts = {host_of(cores)};
  const int chains = static_cast<int>(draw.between(2, 4));
  const bool joins = draw.between(0, 3) == 0;  // two chains join: the callback belongs to both
  int more = 5 - chains;                       // limit of callbacks beside the timers
  const auto loads = shares(draw, chains, load * cores);
  takt_schedule::CallbackModel join = callback_of(1);
  for (int c = 0; c < chains; ++c) {
    const Ns period = (10 << draw.between(0, 2)) * kMs;
    const std::string node = "/c" + std::to_string(c);
    takt_schedule::ChainSchedule chain;
    chain.options.name = "c" + std::to_string(c);
    chain.options.priority = static_cast<int>(draw.between(1, 9));
    chain.options.deadline = Duration(period / 100 * draw.between(40, 100));
    const bool to_join = joins && c < 2;
    const bool two = to_join || (more > 0 && draw.between(0, 1) == 0);
    const double share = std::min(loads[static_cast<std::size_t>(c)], 0.9);
    const Ns work = static_cast<Ns>(share * static_cast<double>(period));
    const Ns first = two ? work / 100 * draw.between(10, 90) : work;
    auto timer = callback_of(first);
    timer.id = takt_core::adapter::timer_id(node, Duration(period));
    timer.period = Duration(period);
    timer.publishes = {node};
    chain.options.path.push_back(timer.id);
    system.callbacks.push_back(std::move(timer));
    if (two) {
      const std::string receiver = to_join ? "/join" : node + "_1";
      const std::string id = takt_core::adapter::callback_id(receiver, "sub", node);
      chain.options.path.push_back(id);
      if (to_join) {
        join.ids.push_back(id);
        join.triggers.push_back(node);
        join.time.worst = std::max(join.time.worst, Duration(work - first));
        join.time.best = join.time.worst;
        more -= c;  // the callback counts once for both chains
      } else {
        auto callback = callback_of(work - first);
        callback.id = id;
        callback.triggers = {node};
        system.callbacks.push_back(std::move(callback));
        --more;
      }
    }
    system.chains.push_back(std::move(chain));
  }
  if (joins) {
    join.id = join.ids.front();
    join.trigger = takt_schedule::Trigger::newest;
    system.callbacks.push_back(std::move(join));
  }
  return system;
}

}  // namespace takt_bench
