#include "models/condition_model.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "support/random_model.hpp"

namespace takt_plan::test
{
namespace
{

class Picker
{
public:
  explicit Picker(std::uint64_t seed) : random_(seed ^ 0xc0d) {}
  int operator()(int least, int most)
  {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }

private:
  std::mt19937_64 random_;
};

void add_conditions(Picker & pick, Model & model)
{
  for (Index thread = 0; thread < model.threads.size(); ++thread) {
    std::vector<Index> inputs;
    for (Index index = 0; index < model.tasks.size(); ++index) {
      const Task & task = model.tasks[index];
      if (
        !task.release && task.triggers.size() == 1 && task.group == kNone &&
        task.threads == std::vector<Index>{thread} && (inputs.size() < 2 || pick(0, 1) == 0)) {
        inputs.push_back(index);
      }
    }
    if (inputs.size() < 2) {
      continue;
    }
    Group group{"when" + std::to_string(thread), true};
    group.condition.emplace();
    group.condition->count = static_cast<std::uint32_t>(pick(0, static_cast<int>(inputs.size())));
    if (pick(0, 3) == 0) {
      group.condition->fresh = std::chrono::nanoseconds(pick(2000, 8000));
    }
    group.inputs = inputs;
    for (const Index input : inputs) {
      model.tasks[input].group = model.groups.size();
    }
    model.groups.push_back(group);
  }
}

}  // namespace

Model condition_model(std::uint64_t seed)
{
  Picker pick(seed);
  Model model = random_model(seed);
  for (Task & task : model.tasks) {
    task.time = (task.time + 1) / 2;
    if (task.release) {
      task.release->jitter = std::min(task.release->jitter, task.release->period / 4);
    }
  }
  add_conditions(pick, model);
  return model;
}

Model with_conditions_added(std::uint64_t seed, Model model)
{
  Picker pick(seed);
  add_conditions(pick, model);
  return model;
}

}  // namespace takt_plan::test
