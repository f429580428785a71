#include "support/overheads.hpp"

#include <random>

#include "models/close_releases.hpp"

namespace takt_plan::test
{

Overheads some_overheads(std::uint64_t round)
{
  if (has_close_releases(round)) {
    std::mt19937_64 random(round * 59 + 1);
    const auto pick = [&](Ns most) { return std::uniform_int_distribution<Ns>(0, most)(random); };
    constexpr Ns kMost[] = {3, 8, 20};
    const Ns most = kMost[pick(2)];
    const Ns dispatch = pick(most);
    return {dispatch, pick(most)};
  }
  return round % 2 == 0 ? Overheads{} : Overheads{1, 2};
}

Overheads some_overheads_or(const Overheads & otherwise, std::uint64_t seed)
{
  return has_close_releases(seed) ? some_overheads(seed) : otherwise;
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
