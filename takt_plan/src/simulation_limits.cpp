#include "simulation_limits.hpp"

#include <algorithm>
#include <string>

#include "printed.hpp"

namespace takt_plan::detail
{
namespace
{

// Of all histories together; 200 bytes each.
constexpr std::uint64_t kMostMessages = 4'000'000;
// At each instant all threads and hosts are looked at, some nanoseconds each; a run of a callback takes
// as long as kJob of them. Together some minutes.
constexpr double kMostLooks = 1e10;
constexpr double kJob = 20;
// What a release starts, mostly, and what may come besides.
constexpr std::uint64_t kJobsOfOne = 1000;
constexpr std::uint64_t kMoreJobs = 5'000'000;

/// Of all sources in one run.
double releases(const SimulationModel & model, const SimulationOptions & options)
{
  const auto duration = static_cast<double>(options.duration);
  double sum = 0;
  for (const Task & task : model.model.tasks) {
    sum += task.release ? duration / static_cast<double>(task.release->period) + 1 : 0;
  }
  for (const OtherLoad & other : model.model.others) {
    sum += duration / static_cast<double>(other.period) + 1;
  }
  return std::min(sum, 1e15);
}

std::uint64_t messages(const SimulationModel & model)
{
  std::uint64_t sum = 0;
  for (Index i = 0; i < model.tasks.size(); ++i) {
    sum += model.tasks[i].depth * (model.model.tasks[i].triggers.size() + 1);
  }
  return sum;
}

}  // namespace

takt_core::Faults too_large_to_simulate(
  const SimulationModel & model, const SimulationOptions & options)
{
  takt_core::Faults faults;
  if (const std::uint64_t kept = messages(model); kept > kMostMessages) {
    faults.push_back(
      "the histories hold " + std::to_string(kept) + " messages, and a simulation at most " +
      std::to_string(kMostMessages) + "; lower the depths");
  }
  const double released = releases(model, options);
  const Index threads = model.model.threads.size() + model.model.others.size();
  const auto looked_at = static_cast<double>(threads + model.model.hosts.size());
  if (released * (kJob + looked_at) > kMostLooks) {
    faults.push_back(
      "in " + printed(options.duration) + " there would be " +
      std::to_string(static_cast<std::uint64_t>(released)) + " releases among " +
      std::to_string(threads) + " threads on " + std::to_string(model.model.hosts.size()) +
      " hosts, too many to simulate; shorten the duration, or simulate less of the system");
  }
  return faults;
}

std::uint64_t most_jobs(const SimulationModel & model, const SimulationOptions & options)
{
  return kMoreJobs + kJobsOfOne * static_cast<std::uint64_t>(releases(model, options));
}

}  // namespace takt_plan::detail
