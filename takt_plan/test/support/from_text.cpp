#include "support/from_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "takt_plan/load_plan.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan::test
{
namespace
{

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

SimulationModel from_text(const std::string & system, const std::string & schedule)
{
  const auto plan = parse_plan(system, schedule);
  if (!plan) {
    throw std::runtime_error(to_string(plan.faults().front()));
  }
  return simulation_model(*plan);
}

std::vector<std::string> jobs(
  const SimulationModel & model, const SimulationOptions & options, Ns unit)
{
  Journal journal;
  const auto status = watch(model, options, 0, journal);
  if (!status.ok()) {
    throw std::runtime_error(to_string(status.faults().front()));
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
