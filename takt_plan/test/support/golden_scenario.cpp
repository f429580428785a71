#include "support/golden_scenario.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>

#include "takt_core/names.hpp"

namespace takt_plan::test
{
namespace
{

// Without a depth, the oracle loses no message. This is more than any backlog in the golden
// scenarios.
constexpr std::uint32_t kDeep = 256;

class Loader
{
public:
  Loader(const nlohmann::json & scenario, Index cores) : scenario_(scenario), cores_(cores) {}

  SimulationModel load()
  {
    simulation_.model.hosts = {"host"};
    add_threads();
    for (const auto & entry : scenario_.at("callbacks")) {
      add_task(entry);
    }
    for (const auto & entry : scenario_.at("callbacks")) {
      const Index from = tasks_.at(entry.at("id"));
      for (const auto & topic : entry.value("publishes", std::vector<std::string>{})) {
        for (const Index to : readers_[topic]) {
          simulation_.model.tasks[to].triggers.push_back({from, 0, 0});
        }
      }
    }
    simulation_.context_switches = {0};
    return std::move(simulation_);
  }

private:
  void add_threads()
  {
    Model & model = simulation_.model;
    Index count = 0;
    for (const auto & executor : scenario_.at("executors")) {
      count += executor.at("threads").get<Index>();
    }
    for (Index i = 0; i < (cores_ == 0 ? count : cores_); ++i) {
      model.cores.push_back({0, static_cast<int>(i)});
    }
    for (const auto & executor : scenario_.at("executors")) {
      model.executors.push_back(std::to_string(model.executors.size()));
      for (Index i = 0; i < executor.at("threads").get<Index>(); ++i) {
        Thread thread;
        thread.name = "t" + std::to_string(model.threads.size());
        thread.executor = model.executors.size() - 1;
        thread.kind = ThreadClass::fixed_priority;
        thread.priority = 10;
        thread.order =
          *takt_core::from_string<takt_core::Order>(executor.at("order").get<std::string>());
        thread.window_timers = executor.value("timers", "snapshot") == "immediate"
                                 ? takt_core::WindowTimers::immediate
                                 : takt_core::WindowTimers::snapshot;
        thread.cores = {model.threads.size()};
        if (cores_ != 0) {
          thread.cores.resize(cores_);
          std::iota(thread.cores.begin(), thread.cores.end(), Index{0});
        }
        SimulatedThread simulated;
        simulated.kernel = {KernelPolicy::fifo, 10, 0, 0, 0, 1024, thread.cores};
        simulation_.threads.push_back(simulated);
        model.threads.push_back(std::move(thread));
      }
    }
  }

  void add_task(const nlohmann::json & entry)
  {
    Model & model = simulation_.model;
    Task task;
    SimulatedTask simulated;
    task.id = entry.at("id");
    task.executor = entry.value("executor", Index{0});
    for (Index i = 0; i < model.threads.size(); ++i) {
      if (model.threads[i].executor == task.executor) {
        task.threads.push_back(i);
      }
    }
    task.time = simulated.best = entry.at("cost_ns");
    const std::string group = entry.at("group");
    const auto [known, fresh] = groups_.try_emplace(group, model.groups.size());
    if (fresh) {
      model.groups.push_back({group, entry.at("group_type") != "reentrant"});
    }
    task.group = known->second;
    simulated.kind = *takt_core::from_string<takt_core::Kind>(entry.at("kind").get<std::string>());
    if (simulated.kind == takt_core::Kind::timer) {
      task.timer = true;
      task.release = Release{entry.at("period_ns"), 0, entry.value("offset_ns", Ns{0})};
    }
    simulated.depth = entry.value("depth", kDeep);
    task.priority = entry.value("priority", 0);
    simulated.binding.priority = task.priority;
    if (entry.contains("subscribes")) {
      readers_[entry.at("subscribes")].push_back(model.tasks.size());
    }
    tasks_[task.id] = model.tasks.size();
    model.tasks.push_back(std::move(task));
    simulation_.tasks.push_back(std::move(simulated));
  }

  const nlohmann::json & scenario_;
  const Index cores_;
  SimulationModel simulation_;
  std::map<std::string, Index> tasks_;
  std::map<std::string, Index> groups_;
  std::map<std::string, std::vector<Index>> readers_;
};

}  // namespace

std::vector<std::string> golden_names(const std::string & folder)
{
  std::vector<std::string> names;
  for (const auto & entry :
       std::filesystem::directory_iterator(std::string(TAKT_GOLDEN_DIRECTORY "/") + folder)) {
    if (entry.path().extension() == ".json") {
      names.push_back(entry.path().stem().string());
    }
  }
  if (names.empty()) {
    throw std::runtime_error("no golden scenarios in " + folder);
  }
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::json read_golden(const std::string & folder, const std::string & name)
{
  std::ifstream file(std::string(TAKT_GOLDEN_DIRECTORY "/") + folder + "/" + name + ".json");
  return nlohmann::json::parse(file);
}

SimulationModel golden_model(const nlohmann::json & scenario, Index cores)
{
  return Loader(scenario, cores).load();
}

}  // namespace takt_plan::test
