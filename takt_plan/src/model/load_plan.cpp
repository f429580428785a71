#include "takt_plan/load_plan.hpp"
#include "model/isolated_threads.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "model/build_model.hpp"
#include "model/triggers.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/listed_callbacks.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/wait_warnings.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;
using takt_schedule::Schedule;
using takt_schedule::System;

constexpr int kAnyCore = 65536;

takt_schedule::Machine machine_of(const Result<System> & system)
{
  takt_schedule::Machine machine;
  machine.realtime = true;
  machine.autogroup = false;
  machine.deadline_share.emplace();  // not limited
  machine.cores.emplace();
  if (!system) {
    machine.cores->resize(kAnyCore);  // the check of the system reports missing cores
    std::iota(machine.cores->begin(), machine.cores->end(), 0);
    return machine;
  }
  std::set<int> cores;
  for (const takt_schedule::HostModel & host : system->hosts) {
    cores.insert(host.cores.begin(), host.cores.end());
  }
  machine.cores->assign(cores.begin(), cores.end());
  return machine;
}

/// One fault for all executors of the system that the schedule lacks, if they are too many to name.
Faults missing_executors(const System & system, const Schedule & schedule)
{
  constexpr std::size_t kMost = 20;
  std::unordered_set<std::string_view> known;
  for (const takt_schedule::ExecutorSchedule & executor : schedule.executors) {
    known.insert(executor.name);
  }
  std::vector<std::string> missing;
  for (const takt_schedule::CallbackModel & callback : system.callbacks) {
    if (known.insert(callback.executor).second) {
      missing.push_back(callback.executor);
    }
  }
  if (missing.size() <= kMost) {
    return {};
  }
  return {
    schedule.file + ": " + std::to_string(missing.size()) +
    " executors of the system are missing, among them " + takt_schedule::quoted(missing.front()) +
    "; is this the schedule of another system?"};
}

template <typename Told>
void append(std::vector<Told> & to, const std::vector<Told> & more)
{
  to.insert(to.end(), more.begin(), more.end());
}

/// Warns of chains with different deadlines in the two files: the system's deadline counts.
std::vector<std::string> other_deadlines(const System & system, const Schedule & schedule)
{
  std::unordered_map<std::string_view, takt_rt::Duration> deadlines;
  for (const takt_schedule::ChainSchedule & chain : system.chains) {
    deadlines.emplace(chain.options.name, chain.options.deadline);
  }
  std::vector<std::string> warnings;
  for (const takt_schedule::ChainSchedule & chain : schedule.chains) {
    const auto found = deadlines.find(chain.options.name);
    const bool said = chain.options.deadline != takt_core::ChainOptions().deadline;
    if (said && found != deadlines.end() && found->second != chain.options.deadline) {
      warnings.push_back(to_string(takt_schedule::located(
        schedule.file, chain.source,
        "chain " + takt_schedule::quoted(chain.options.name) +
          " has another deadline in the system model; that one counts here")));
    }
  }
  return warnings;
}

Result<Plan> plan_of(Result<System> system, Result<Schedule> schedule)
{
  Faults faults = system.faults();
  append(faults, schedule.faults());
  if (!faults.empty()) {
    return faults;
  }
  const std::vector<takt_schedule::ListedCallback> callbacks =
    takt_schedule::listed_callbacks(*system);
  if (const auto other = takt_schedule::other_system(*schedule, callbacks)) {
    return Faults{*other};
  }
  faults = missing_executors(*system, *schedule);
  append(faults, detail::with_and_isolated(*schedule));
  append(faults, takt_schedule::too_many_patterns(*schedule, callbacks));
  if (!faults.empty()) {
    return faults;
  }
  list_isolated_threads(*schedule, callbacks, faults);
  if (!faults.empty()) {
    return faults;
  }
  auto model = build_model(*system, *schedule);
  const takt_schedule::CheckReport report = takt_schedule::check(*schedule, callbacks);
  faults = model.faults();
  std::copy_if(
    report.faults.begin(), report.faults.end(), std::back_inserter(faults),
    [known = faults](const takt_rt::Fault & fault) {
      return std::find(known.begin(), known.end(), fault) == known.end();
    });
  if (!faults.empty()) {
    return faults;
  }
  Plan plan{std::move(*system), std::move(*schedule), std::move(*model), {}};
  append(plan.warnings, sentences(plan.system.warnings));
  append(plan.warnings, sentences(plan.schedule.warnings));
  append(plan.warnings, sentences(report.warnings));
  append(plan.warnings, sentences(takt_schedule::wait_warnings(plan.system, plan.schedule)));
  append(plan.warnings, detail::waiting_in_vain(plan.model));
  append(plan.warnings, other_deadlines(plan.system, plan.schedule));
  return plan;
}

}  // namespace

Result<Plan> load_plan(const std::string & system_file, const std::string & schedule_file)
{
  auto system = takt_schedule::load_system(system_file);
  auto schedule = takt_schedule::load_schedule(schedule_file, machine_of(system));
  return plan_of(std::move(system), std::move(schedule));
}

Result<Plan> parse_plan(std::string_view system_text, std::string_view schedule_text)
{
  auto system = takt_schedule::parse_system(system_text, "system.yaml");
  auto schedule = takt_schedule::parse_schedule(schedule_text, "schedule.yaml", machine_of(system));
  return plan_of(std::move(system), std::move(schedule));
}

Result<Plan> parse_plan(System given, std::string_view schedule_text)
{
  Result<System> system(std::move(given));
  auto schedule = takt_schedule::parse_schedule(schedule_text, "schedule.yaml", machine_of(system));
  return plan_of(std::move(system), std::move(schedule));
}

}  // namespace takt_plan
