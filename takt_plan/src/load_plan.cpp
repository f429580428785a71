#include "takt_plan/load_plan.hpp"

#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "takt_core/callback.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan
{
namespace
{

using takt_core::Faults;
using takt_core::Result;
using takt_schedule::System;

constexpr int kAnyCore = 65536;

takt_schedule::Machine machines_of(const Result<System> & system)
{
  takt_schedule::Machine machine;
  machine.realtime = true;
  machine.autogroup = false;
  machine.deadline_share = 0.0;
  machine.cores.emplace();
  if (!system) {
    machine.cores->resize(kAnyCore);  // the system's faults are enough
    std::iota(machine.cores->begin(), machine.cores->end(), 0);
    return machine;
  }
  for (const takt_schedule::HostModel & host : system->hosts) {
    machine.cores->insert(machine.cores->end(), host.cores.begin(), host.cores.end());
  }
  return machine;
}

takt_schedule::CheckReport checked(const Plan & plan)
{
  std::set<std::string> reentrant;
  for (const takt_schedule::GroupModel & group : plan.system.groups) {
    if (group.kind == takt_core::GroupKind::reentrant) {
      reentrant.insert(group.id);
    }
  }
  std::vector<takt_schedule::ListedCallback> listed;
  for (const takt_schedule::CallbackModel & callback : plan.system.callbacks) {
    takt_schedule::ListedCallback one;
    one.id = callback.id;
    one.kind = callback.is_timer() ? takt_core::Kind::timer : takt_core::Kind::subscription;
    one.group = callback.group;
    one.executor = callback.executor;
    one.reentrant = reentrant.contains(callback.group);
    listed.push_back(std::move(one));
  }
  return takt_schedule::check(plan.schedule, listed);
}

void append(std::vector<std::string> & to, const std::vector<std::string> & more)
{
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

Result<Plan> load_plan(const std::string & system_file, const std::string & schedule_file)
{
  auto system = takt_schedule::load_system(system_file);
  auto schedule = takt_schedule::load_schedule(schedule_file, machines_of(system));
  if (!system || !schedule) {
    Faults faults = system.faults();
    append(faults, schedule.faults());
    return faults;
  }
  Plan plan{std::move(*system), std::move(*schedule), {}};
  const takt_schedule::CheckReport report = checked(plan);
  if (!report.faults.empty()) {
    return report.faults;
  }
  append(plan.warnings, plan.system.warnings);
  append(plan.warnings, plan.schedule.warnings);
  append(plan.warnings, report.warnings);
  return plan;
}

}  // namespace takt_plan
