#include "support/from_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "takt_plan/simulation_observer.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"

namespace takt_plan::test
{
namespace
{

using takt_core::Faults;
using takt_core::Result;

Result<SimulationModel> load(const std::string & system_text, const std::string & schedule_text)
{
  takt_schedule::Machine machine;
  machine.cores = {0, 1, 2, 3};
  machine.autogroup = false;
  machine.realtime = true;
  machine.deadline_share = 0;
  auto system = takt_schedule::parse_system(system_text, "system.yaml");
  auto schedule = takt_schedule::parse_schedule(schedule_text, "schedule.yaml", machine);
  Faults faults = system.faults();
  const Faults more = schedule.faults();
  faults.insert(faults.end(), more.begin(), more.end());
  if (!faults.empty()) {
    return faults;
  }
  return simulation_model(*system, *schedule);
}

struct Journal final : SimulationObserver
{
  void on_end(Index thread, Index task, Ns, Ns start, Ns end) override
  {
    jobs.emplace_back(start, thread, end, task);
  }
  std::vector<std::tuple<Ns, Index, Ns, Index>> jobs;
};

std::string number(Ns ns, Ns unit)
{
  std::string text = std::to_string(ns / unit);
  if (const Ns rest = ns % unit; rest != 0) {
    text += "." + std::to_string(unit + rest).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

}  // namespace

Faults faults_of(const std::string & system, const std::string & schedule)
{
  return load(system, schedule).faults();
}

SimulationModel from_text(const std::string & system, const std::string & schedule)
{
  auto model = load(system, schedule);
  if (!model) {
    throw std::runtime_error(model.faults().front());
  }
  return *model;
}

std::vector<std::string> jobs(
  const SimulationModel & model, const SimulationOptions & options, Ns unit)
{
  Journal journal;
  const auto status = watch(model, options, 0, journal);
  if (!status.ok()) {
    throw std::runtime_error(status.faults().front());
  }
  std::sort(journal.jobs.begin(), journal.jobs.end());
  std::vector<std::string> result;
  for (const auto & [start, thread, end, task] : journal.jobs) {
    const std::string & id = model.model.tasks[task].id;
    result.push_back(
      id.substr(1, id.find(':') - 1) + " " + number(start, unit) + "-" + number(end, unit));
  }
  return result;
}

}  // namespace takt_plan::test
