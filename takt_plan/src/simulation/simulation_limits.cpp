#include "simulation/simulation_limits.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

#include "model/printed.hpp"

namespace takt_plan::detail
{
namespace
{

// Limit of messages in all histories together, 200 bytes each.
constexpr std::uint64_t kMostMessages = 4'000'000;
// The simulation examines all threads and hosts at each instant, which takes some nanoseconds each.
// A run of a callback counts as kJob of them. The limit is less than an hour.
constexpr double kMostSimulated = 1e11;
constexpr double kJob = 20;
// Runs for each release and each callback of the system, with room for others.
constexpr std::uint64_t kJobsOfOne = 10;
constexpr std::uint64_t kMoreJobs = 5'000'000;

/// The releases of all sources in one run.
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
    std::set<Index> topics;  // each topic has one history, for any number of publishers
    for (const Link & link : model.model.tasks[i].triggers) {
      topics.insert(link.topic);
    }
    sum += model.tasks[i].depth * std::max<std::size_t>(topics.size(), 1);
  }
  return sum;
}

}  // namespace

takt_rt::Faults too_large_to_simulate(
  const SimulationModel & model, const SimulationOptions & options)
{
  takt_rt::Faults faults;
  if (const std::uint64_t kept = messages(model); kept > kMostMessages) {
    faults.push_back(
      "the histories hold " + std::to_string(kept) + " messages, and a simulation at most " +
      std::to_string(kMostMessages) + "; lower the depths");
  }
  const double released = releases(model, options);
  const Index threads = model.model.threads.size() + model.model.others.size();
  const auto looked_at = static_cast<double>(threads + model.model.hosts.size());
  if (released * (kJob + looked_at) > kMostSimulated) {
    faults.push_back(
      "in " + printed(options.duration) + " there would be " +
      std::to_string(static_cast<std::uint64_t>(released)) + " releases in one run (threads: " +
      std::to_string(threads) + ", hosts: " + std::to_string(model.model.hosts.size()) +
      "), too many to simulate; take several shorter runs, or simulate less of the system");
  }
  return faults;
}

std::uint64_t most_jobs(const SimulationModel & model, const SimulationOptions & options)
{
  const double each = static_cast<double>(kJobsOfOne * model.tasks.size());
  return kMoreJobs + static_cast<std::uint64_t>(std::min(each * releases(model, options), 1e15));
}

}  // namespace takt_plan::detail
