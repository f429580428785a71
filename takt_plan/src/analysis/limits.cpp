#include "analysis/limits.hpp"

#include <algorithm>

namespace takt_plan::detail
{

Ns horizon(const Model & model, Ns asked)
{
  if (asked > 0) {
    return std::min(asked, kUnbounded - 1);
  }
  Ns longest = 1;
  for (const Task & task : model.tasks) {
    longest = std::max(longest, task.release ? task.release->period : 1);
  }
  for (const OtherLoad & other : model.others) {
    longest = std::max(longest, other.period);
  }
  return std::min(multiply(100, longest), kUnbounded - 1);
}

}  // namespace takt_plan::detail
