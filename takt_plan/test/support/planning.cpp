#include "support/planning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "support/example.hpp"
#include "takt_plan/draw.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_plan::test
{

takt_schedule::System system_of(const std::string & text)
{
  auto system = takt_schedule::parse_system("version: 1\n" + text, "system.yaml");
  EXPECT_TRUE(system.ok()) << system.faults().front();
  return system.ok() ? *system : takt_schedule::System{};
}

takt_schedule::System chains_of(
  int cores, const std::vector<std::vector<int>> & tenths, const std::string & callbacks)
{
  std::string tasks;
  std::string chains;
  for (std::size_t chain = 0; chain < tenths.size(); ++chain) {
    const std::string name(1, static_cast<char>('a' + chain));
    std::string path;
    for (std::size_t i = 0; i < tenths[chain].size(); ++i) {
      const std::string node = "/" + name + std::to_string(i + 1);
      const std::string before = "/" + name + std::to_string(i);
      const std::string id =
        "\"" + node + (i == 0 ? ":timer(10ms)" : ":sub(" + before + ")") + "\"";
      tasks += "  - {id: " + id + ", time: " + std::to_string(tenths[chain][i]) + "ms, " +
               (i == 0 ? std::string("period: 10ms") : "triggers: " + before) +
               ", publishes: " + node + "}\n";
      path += (i == 0 ? "" : ", ") + id;
    }
    chains += "  " + name + ": {path: [" + path +
              "], priority: " + std::to_string(tenths.size() - chain) + ", deadline: 20ms}\n";
  }
  return system_of(
    "hosts: {car: {cores: " + std::to_string(cores) + ", utilization_cap: 1}}\ncallbacks:\n" +
    tasks + callbacks + "chains:\n" + chains);
}

takt_schedule::System random_chains(int cores, int chains, double load, std::uint64_t seed)
{
  constexpr int kCallbacks = 5;
  constexpr double kMost = 0.9;  // of a core, for one chain
  Draw draw(seed);
  const auto parts = [&](int count, double sum) {
    std::vector<double> weights;
    for (int i = 0; i < count; ++i) {
      weights.push_back(std::pow(static_cast<double>(draw.between(1, 100)), 2));  // a few large
                                                                                  // ones
    }
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double & weight : weights) {
      weight *= sum / all;
    }
    return weights;
  };
  std::vector<std::pair<Ns, double>> kinds;  // period in ms, and load
  for (const double share : parts(chains, load)) {
    kinds.emplace_back(50 + 10 * draw.between(0, 95), std::min(share, kMost));
  }
  std::sort(kinds.begin(), kinds.end());
  std::string callbacks, paths;
  for (int chain = 0; chain < chains; ++chain) {
    const auto [period, share] = kinds[static_cast<Index>(chain)];
    const std::string every = std::to_string(period) + "ms";
    const auto times = parts(kCallbacks, share * static_cast<double>(period * kMs));
    std::string path;
    for (int i = 0; i < kCallbacks; ++i) {
      const auto node = [&](int number) {
        return "/c" + std::to_string(chain) + "_" + std::to_string(number);
      };
      const std::string id =
        "\"" + node(i) + (i == 0 ? ":timer(" + every : ":sub(" + node(i - 1)) + ")\"";
      callbacks += "  - {id: " + id + ", time: " +
                   std::to_string(std::max<Ns>(static_cast<Ns>(times[static_cast<Index>(i)]), 1)) +
                   "ns, " + (i == 0 ? "period: " + every : "triggers: " + node(i - 1)) +
                   (i + 1 < kCallbacks ? ", publishes: " + node(i) : "") + "}\n";
      path += (i == 0 ? "" : ", ") + id;
    }
    paths += "  c" + std::to_string(chain) + ": {path: [" + path +
             "], priority: " + std::to_string(chains - chain) + ", deadline: " + every + "}\n";
  }
  return system_of(
    "overheads: {}\nhosts: {car: {cores: " + std::to_string(cores) +
    ", utilization_cap: 1}}\ncallbacks:\n" + callbacks + "chains:\n" + paths);
}

takt_schedule::System restrained_system(std::uint64_t seed)
{
  Draw draw(seed);
  const int chains = static_cast<int>(draw.between(5, 9));
  const double load = 0.25 * static_cast<double>(draw.between(2, 12));
  takt_schedule::System system = random_chains(4, chains, load, seed);
  system.hosts[0].utilization_cap = 0.9;
  system.hosts[0].reserved = {3};
  system.hosts[0].other_threads.push_back(
    {"irq", 95, {0}, takt_rt::Duration(kMs), takt_rt::Duration(10 * kMs), {}});
  const bool two = seed % 2 == 1;
  if (two) {
    system.hosts.push_back(system.hosts[0]);
    system.hosts[1].name = "trailer";
    system.hosts[1].cores = {0, 1};
    system.hosts[1].reserved.clear();
  }
  for (takt_schedule::CallbackModel & callback : system.callbacks) {
    const Ns kind = draw.between(0, 7);
    if (two && kind == 0) {
      callback.host = "trailer";
      callback.executor = "far";
    } else if (kind < 3) {
      callback.executor = "other";
      callback.group = "/c:group(" + std::to_string(draw.between(0, 3)) + ")";
    } else if (kind == 3) {
      callback.cores = {static_cast<int>(draw.between(0, 2))};
    }
  }
  for (int i = 0; i < 4; ++i) {
    system.groups.push_back({"/c:group(" + std::to_string(i) + ")", {}, {}});
  }
  system.chains.pop_back();
  return system;
}

Planned plan_of(const takt_schedule::System & system, const PlanOptions & options)
{
  auto planned = plan_schedule(system, options);
  EXPECT_TRUE(planned.ok()) << planned.faults().front();
  return planned.ok() ? std::move(*planned) : Planned{};
}

PlanOptions by(Planner planner)
{
  PlanOptions options;
  options.planner = planner;
  return options;
}

Ns bound_of(const Planned & planned, const std::string & chain)
{
  for (Index i = 0; i < planned.model.chains.size(); ++i) {
    if (planned.model.chains[i].name == chain && planned.bounds.chains[i]) {
      return planned.bounds.chains[i]->bound;
    }
  }
  return kUnbounded;
}

const AssignedThread & thread_of(const Planned & planned, const std::string & id)
{
  for (const AssignedThread & thread : planned.assignment.threads) {
    for (const Index task : thread.tasks) {
      if (planned.model.tasks[task].id == id) {
        return thread;
      }
    }
  }
  throw std::runtime_error("no thread runs " + id);
}

std::vector<std::string> threads_of(const Planned & planned)
{
  std::vector<AssignedThread> threads = planned.assignment.threads;
  std::stable_sort(
    threads.begin(), threads.end(), [](const AssignedThread & a, const AssignedThread & b) {
      return std::tuple(a.core, -a.priority) < std::tuple(b.core, -b.priority);
    });
  std::vector<std::string> result;
  for (const AssignedThread & thread : threads) {
    std::string text = std::to_string(planned.model.cores[thread.core].number) + "/" +
                       std::to_string(thread.priority) + ":";
    for (const Index task : thread.tasks) {
      const std::string & id = planned.model.tasks[task].id;
      text += " " + id.substr(1, id.find(':') - 1);
    }
    result.push_back(std::move(text));
  }
  return result;
}

/// Checks that the plan's row in the trade has the figures of the plan's bounds.
void expect_true_trade(const Planned & planned)
{
  Index chosen = 0;
  for (const TradePoint & point : planned.trade) {
    if (point.threads != planned.chosen_threads) {
      continue;
    }
    ++chosen;
    std::optional<double> least;
    for (Index i = 0; i < planned.model.chains.size(); ++i) {
      const Chain & chain = planned.model.chains[i];
      if (chain.deadline == kUnbounded || missed(planned, i)) {
        continue;
      }
      const double slack = 1 - static_cast<double>(planned.bounds.chains[i]->bound) /
                                 static_cast<double>(chain.deadline);
      least = std::min(least.value_or(slack), slack);
    }
    ASSERT_EQ(point.slack.has_value(), least.has_value());
    if (least) {
      EXPECT_NEAR(*point.slack, *least, 1e-9);
    }
  }
  EXPECT_EQ(chosen, planned.trade.empty() ? 0U : 1U);
  EXPECT_EQ(planned.chosen_threads, planned.assignment.threads.size());
}

void expect_sound(const takt_schedule::System & system, const Planned & planned)
{
  std::set<Index> seen;
  std::map<Index, const AssignedThread *> of_group;
  for (const AssignedThread & thread : planned.assignment.threads) {
    EXPECT_FALSE(thread.tasks.empty());
    for (const Index task : thread.tasks) {
      EXPECT_TRUE(seen.insert(task).second) << "in one thread only";
      EXPECT_EQ(planned.model.tasks[task].executor, thread.executor);
      EXPECT_EQ(planned.model.tasks[task].host, planned.model.cores[thread.core].host);
      const auto & cores = system.callbacks[task].cores;
      const int number = planned.model.cores[thread.core].number;
      EXPECT_TRUE(cores.empty() || std::find(cores.begin(), cores.end(), number) != cores.end());
      const Index group = planned.model.tasks[task].group;
      if (group != kNone && planned.model.groups[group].exclusive) {
        EXPECT_EQ(of_group.try_emplace(group, &thread).first->second, &thread);
      }
    }
  }
  EXPECT_EQ(seen.size(), planned.model.tasks.size());
  // The schedule file gives the model that was judged, also in a running executor.
  Model from_file;
  {
    const std::string yaml = takt_schedule::to_yaml(planned.schedule);
    const auto read = parse_plan(system, yaml);
    ASSERT_TRUE(read.ok()) << read.faults().front() << yaml;
    EXPECT_EQ(read->warnings, sentences(system.warnings));
    from_file = read->model;
  }
  const auto again = bounds(from_file);
  ASSERT_TRUE(again.ok());
  for (Index chain = 0; chain < from_file.chains.size(); ++chain) {
    ASSERT_EQ(again->chains[chain].ok(), planned.bounds.chains[chain].ok());
    if (again->chains[chain]) {
      EXPECT_EQ(again->chains[chain]->bound, planned.bounds.chains[chain]->bound);
    }
  }
  expect_true_trade(planned);
}

}  // namespace takt_plan::test
