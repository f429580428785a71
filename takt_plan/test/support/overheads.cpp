#include "support/overheads.hpp"

namespace takt_plan::test
{

Overheads some_overheads(std::uint64_t round)
{
  return round % 2 == 0 ? Overheads{} : Overheads{1, 2};
}

Model with_overheads(Model model, const Overheads & overheads)
{
  for (Task & task : model.tasks) {
    task.dispatch = overheads.dispatch + 2 * overheads.context_switch;
  }
  for (OtherLoad & other : model.others) {
    other.time += 2 * overheads.context_switch;
  }
  for (Thread & thread : model.threads) {
    thread.reservation.context_switch = overheads.context_switch;
  }
  return model;
}

void vary(const Overheads & overheads, SimulationModel & simulation)
{
  for (SimulatedTask & task : simulation.tasks) {
    task.best = 0;
    task.dispatch = overheads.dispatch;
  }
  simulation.context_switches.assign(simulation.model.hosts.size(), overheads.context_switch);
}

}  // namespace takt_plan::test
