#include "programs/baselines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace takt_plan::program
{
namespace
{

using takt_schedule::Schedule;

std::optional<Schedule> schedule_by(
  Planner planner, const takt_schedule::System & system, const PlanOptions & options)
{
  PlanOptions other;
  other.planner = planner;
  other.cpus = options.cpus;
  other.host_cpus = options.host_cpus;
  auto planned = plan_schedule(system, other);
  return planned ? std::optional(std::move(planned->schedule)) : std::nullopt;
}

}  // namespace

std::vector<std::string> better_baselines(
  const takt_schedule::System & system, const PlanOptions & options, const Planned & planned,
  const SimulatedPlan & simulated)
{
  std::vector<Index> late;
  for (const Index chain : planned.chains) {
    if (missed(planned, chain) && !simulated.chains[chain].met()) {
      late.push_back(chain);
    }
  }
  std::vector<std::string> sentences;
  if (late.empty()) {
    return sentences;
  }
  const auto compare = [&](const char * name, const std::optional<Schedule> & schedule) {
    const auto other = schedule ? simulate_plan(system, *schedule)
                                : takt_rt::Result<SimulatedPlan>(takt_rt::Faults{"no plan"});
    if (!other) {
      return;
    }
    std::vector<std::string> better;
    for (const Index chain : late) {
      if (other->chains[chain].met()) {
        better.push_back(planned.model.chains[chain].name);
      }
    }
    if (!better.empty()) {
      sentences.push_back(fmt::format(
        "in simulation {} meets the deadline of {}, and this plan does not{}; takt found no plan "
        "that is better in all",
        name, fmt::join(better, " and "),
        other->skipped > simulated.skipped
          ? fmt::format(", but timers skip {} periods there", other->skipped)
          : ""));
    }
  };
  compare("ROS 2's pool of threads", stock_pool(system, options));
  if (options.planner != Planner::isolated) {
    compare(
      "a thread for each callback group (--planner isolated)",
      schedule_by(Planner::isolated, system, options));
  }
  if (options.planner != Planner::picas) {
    compare("PiCAS (--planner picas)", schedule_by(Planner::picas, system, options));
  }
  return sentences;
}

}  // namespace takt_plan::program
