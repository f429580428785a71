#include "simulation/phases.hpp"

#include <algorithm>
#include <utility>

#include "takt_rt/thread_attributes.hpp"

namespace takt_plan::detail
{
namespace
{

// Makes these numbers differ from those of the run itself.
constexpr std::uint64_t kOtherSeeds = 0x9e3779b97f4a7c15;

using Ranks = std::pair<int, int>;  // of the thread, then of the callback

Ranks urgency_of(const SimulationModel & model, Index task)
{
  Ranks urgency{-1000, 0};
  for (const Index thread : model.model.tasks[task].threads) {
    urgency =
      std::max(urgency, Ranks{model.threads[thread].urgency, model.model.tasks[task].priority});
  }
  return urgency;
}

/// The first releases: `of` gives one for each source, from its own offset (if any), period and
/// urgency.
template <typename Of>
Offsets offsets(const SimulationModel & model, const Of & of)
{
  Offsets result;
  for (Index i = 0; i < model.model.tasks.size(); ++i) {
    const Task & task = model.model.tasks[i];
    result.tasks.push_back(
      task.release ? of(task.release->offset, task.release->period, urgency_of(model, i)) : 0);
  }
  for (const OtherLoad & other : model.model.others) {
    takt_rt::ThreadAttributes attributes;
    attributes.policy = other.priority > 0 ? takt_rt::Policy::fifo : takt_rt::Policy::other;
    attributes.priority = other.priority;
    result.others.push_back(
      of(std::optional<Ns>(), other.period, std::pair(takt_rt::urgency(attributes), 0)));
  }
  return result;
}

/// Phases around a chain's root, which is released at 1.
Offsets around(const SimulationModel & model, Index root, std::uint64_t way)
{
  const Ranks own = urgency_of(model, root);
  Offsets result = offsets(model, [&](std::optional<Ns>, Ns, Ranks urgency) -> Ns {
    switch (way) {
      case 0:
        return 0;
      case 1:
        return 2;
      default:
        return urgency < own ? 0 : 1;  // the root cannot preempt it, so it has just begun
    }
  });
  result.tasks[root] = 1;
  return result;
}

Offsets adversarial(const SimulationModel & model, std::uint64_t number)
{
  Offsets result;
  if (number == 0) {
    result = offsets(model, [](std::optional<Ns>, Ns, Ranks) -> Ns { return 0; });
  } else {
    const Chain & chain = model.model.chains[(number - 1) / 3];
    result = around(model, chain.path.front(), (number - 1) % 3);
  }
  result.jitter = Offsets::Jitter::first;
  return result;
}

}  // namespace

Offsets phases_of(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t run)
{
  switch (options.phases) {
    case Phases::random: {
      Draw draw(options.seed + run + kOtherSeeds);
      Offsets result = offsets(
        model, [&](std::optional<Ns>, Ns period, Ranks) { return draw.between(0, period - 1); });
      result.jitter = Offsets::Jitter::any;
      return result;
    }
    case Phases::adversarial:
      return adversarial(model, run % adversarial_runs(model));
    case Phases::fixed:
      break;
  }
  return offsets(
    model, [](std::optional<Ns> offset, Ns period, Ranks) { return offset.value_or(period); });
}

}  // namespace takt_plan::detail

namespace takt_plan
{

std::uint64_t adversarial_runs(const SimulationModel & model)
{
  return 1 + 3 * model.model.chains.size();
}

}  // namespace takt_plan
