#include "support/phased_model.hpp"

#include <random>
#include <utility>

#include "models/close_releases.hpp"
#include "support/random_model.hpp"

namespace takt_plan::test
{

Model phased_model(std::uint64_t seed)
{
  Model model = random_model(seed);
  std::mt19937_64 random(seed);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  for (Index index = 0; index < model.tasks.size(); ++index) {
    Task & task = model.tasks[index];
    const Index other = static_cast<Index>(pick(0, static_cast<Ns>(index)));
    if (task.triggers.size() == 1 && other < index && pick(0, 2) == 0) {
      task.triggers.push_back({other, 0, 1});
    }
    if (task.release) {
      task.timer = true;
      task.release->jitter = 0;
      // Some timers start later than others by whole periods, so that sets begin with different
      // messages.
      task.release->offset = pick(0, 3 * task.release->period / 50) * 50;
    } else if (task.triggers.size() == 2 && task.triggers[0].from != task.triggers[1].from) {
      task.all = false;
      task.newest = true;
      task.store = task.middleware = pick(0, task.time);  // time of a run that only keeps its
                                                          // message
    }
  }
  return with_close_offsets(std::move(model), seed);
}

PartlyPhased partly_phased_model(std::uint64_t seed)
{
  PartlyPhased result{phased_model(seed), {}};
  result.known = result.model;
  std::mt19937_64 random(seed);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  for (Index index = 0; index < result.model.tasks.size(); ++index) {
    if (!result.model.tasks[index].release || pick(0, 2) != 0) {
      continue;
    }
    Release & real = *result.model.tasks[index].release;
    Release & known = *result.known.tasks[index].release;
    known.offset.reset();
    real.offset = pick(0, 2 * real.period);
    real.jitter = known.jitter = pick(0, 2) == 0 ? pick(0, real.period) : 0;
    real.period += pick(0, 1) == 0 ? pick(0, real.period / 10) : 0;
  }
  // Sources with unknown phases may be close, too.
  result.model = with_close_offsets(std::move(result.model), seed);
  for (Index index = 0; index < result.model.tasks.size(); ++index) {
    const Task & known = result.known.tasks[index];
    if (known.release && known.release->offset) {
      result.model.tasks[index].release->offset = known.release->offset;
    }
  }
  return result;
}

Model analysed_model(const Model & model, const Overheads & overheads)
{
  Model analysed = with_overheads(model, overheads);
  for (Task & task : analysed.tasks) {
    task.store += task.newest ? task.dispatch : 0;
  }
  return analysed;
}

}  // namespace takt_plan::test
