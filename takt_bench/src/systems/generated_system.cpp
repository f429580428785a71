#include "systems/generated_system.hpp"

#include <algorithm>
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

using takt_core::Duration;

constexpr Ns kMs = 1'000'000;

double unit(takt_plan::Draw & draw)
{
  constexpr Ns kSteps = Ns{1} << 52;
  return static_cast<double>(draw.between(1, kSteps)) / static_cast<double>(kSteps);
}

/// `count` shares of `sum`, uniformly distributed over all of them (Bini and Buttazzo 2005).
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
  takt_schedule::HostModel host;
  host.name = "car";
  host.utilization_cap = 1.0;  // as in the publications
  host.cores.resize(static_cast<std::size_t>(shape.cores));
  std::iota(host.cores.begin(), host.cores.end(), 0);
  system.hosts = {host};
  for (int c = 0; c < shape.chains; ++c) {
    const auto period = static_cast<Ns>(50 * std::pow(20.0, unit(draw))) * kMs;
    const std::string name = "c" + std::to_string(c);
    takt_schedule::ChainSchedule chain;
    chain.options.name = name;
    chain.options.deadline = Duration(period);
    const auto work = shares(
      draw, shape.callbacks, load[static_cast<std::size_t>(c)] * static_cast<double>(period));
    for (int i = 0; i < shape.callbacks; ++i) {
      const std::string node = "/" + name + "_" + std::to_string(i);
      takt_schedule::CallbackModel callback;
      callback.executor = "main";
      callback.host = "car";
      callback.time.worst =
        Duration(std::max<Ns>(static_cast<Ns>(work[static_cast<std::size_t>(i)]), 1));
      callback.time.best = callback.time.worst;
      if (i == 0) {
        callback.id = takt_core::adapter::timer_id(node, Duration(period));
        callback.period = Duration(period);
      } else {
        const std::string topic = "/" + name + "_" + std::to_string(i - 1);
        callback.id = node + ":sub(" + topic + ")";
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

}  // namespace takt_bench
