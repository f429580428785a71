#include "models/close_releases.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "support/campaign.hpp"
#include "support/overheads.hpp"

namespace takt_plan::test
{

std::uint64_t seed_of(std::uint64_t system)
{
  // Pairs, because systems of even seeds differ from those of odd ones.
  const bool close = system / 2 % 2 == 1;
  return (seed() + system) | (close ? kCloseReleases : 0);
}

Model with_room(Model model, std::uint64_t seed)
{
  if (!has_close_releases(seed)) {
    return model;
  }
  const Overheads overheads = some_overheads(seed);
  const Ns of_a_run = overheads.dispatch + 2 * overheads.context_switch;
  for (Task & task : model.tasks) {
    task.time = std::max(task.time - of_a_run, task.time / 4);
  }
  return model;
}

Model with_close_offsets(Model model, std::uint64_t seed)
{
  if (!has_close_releases(seed)) {
    return model;
  }
  std::mt19937_64 random(seed * 53 + 1);
  const auto pick = [&](Ns least, Ns most) {
    return std::uniform_int_distribution<Ns>(least, most)(random);
  };
  const Overheads overheads = some_overheads(seed);
  const Ns spans[] = {
    0, overheads.context_switch, overheads.context_switch + overheads.dispatch,
    2 * overheads.context_switch + overheads.dispatch + 1};
  std::vector<Ns> offsets;
  for (Task & task : model.tasks) {
    if (!task.release || !task.release->offset) {
      continue;
    }
    Ns & offset = *task.release->offset;
    if (!offsets.empty() && pick(0, 3) != 0) {
      const Ns near =
        offsets[static_cast<std::size_t>(pick(0, static_cast<Ns>(offsets.size()) - 1))];
      const Ns span = spans[pick(0, 3)];
      offset = std::max<Ns>(near + pick(-span, span), 0);
    }
    offsets.push_back(offset);
  }
  return model;
}

}  // namespace takt_plan::test
