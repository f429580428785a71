#include "takt_plan/simulate.hpp"

#include "simulation/phases.hpp"
#include "simulation/simulation_limits.hpp"
#include "simulation/simulation_run.hpp"

namespace takt_plan
{
namespace
{

using takt_rt::Faults;

SimulationResult empty_result(const SimulationModel & model)
{
  SimulationResult result;
  result.tasks.resize(model.model.tasks.size());
  result.chains.resize(model.model.chains.size());
  result.busy.resize(model.model.cores.size());
  return result;
}

Faults check(const SimulationModel & model, const SimulationOptions & options)
{
  Faults faults = detail::too_large_to_simulate(model, options);
  if (options.duration <= 0) {
    faults.push_back("the duration must be above zero");
  }
  if (options.runs == 0) {
    faults.push_back("there must be at least one run");
  }
  return faults;
}

Faults run_one(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t number,
  SimulationResult & result, SimulationObserver * observer)
{
  detail::SimulationRun run(
    model, options, number, detail::phases_of(model, options, number), result, observer);
  if (run.faults().empty()) {
    run.run();
  }
  return run.faults();
}

}  // namespace

takt_rt::Result<SimulationResult> simulate(
  const SimulationModel & model, const SimulationOptions & options)
{
  Faults faults = check(model, options);
  SimulationResult result = empty_result(model);
  for (std::uint64_t run = 0; run < options.runs && faults.empty(); ++run) {
    faults = run_one(model, options, run, result, nullptr);
  }
  if (!faults.empty()) {
    return faults;
  }
  return result;
}

takt_rt::Status watch(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t run,
  SimulationObserver & observer)
{
  Faults faults = check(model, options);
  if (faults.empty()) {
    SimulationResult result = empty_result(model);
    faults = run_one(model, options, run, result, &observer);
  }
  return faults;
}

}  // namespace takt_plan
