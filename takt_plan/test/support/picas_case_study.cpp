#include "support/picas_case_study.hpp"

#include <utility>
#include <vector>

#include "support/example.hpp"

namespace takt_plan::test
{
namespace
{

struct Step
{
  Ns tenths;     ///< of a millisecond
  int executor;  ///< 1 to 18
};

struct Row
{
  Ns period_ms;
  std::vector<Step> steps;
};

const std::vector<Row> kRows{
  {80, {{23, 1}, {161, 1}}},
  {80, {{23, 1}, {22, 2}, {184, 2}, {91, 2}}},
  {100, {{231, 3}, {79, 3}, {142, 3}, {179, 3}}},
  {100, {{206, 4}, {179, 4}, {66, 4}}},
  {160, {{17, 5}, {110, 5}, {66, 5}, {79, 5}}},
  {1000, {{17, 6}, {1959, 6}}},
  {120, {{332, 7}, {22, 8}}},
  {120, {{332, 9}, {66, 10}}},
  {120, {{332, 11}, {66, 12}}},
  {120, {{332, 13}, {17, 14}}},
  {120, {{332, 15}, {22, 16}}},
  {120, {{332, 17}, {22, 18}}},
};

constexpr int kCoreOf[] = {0, 0, 1, 2, 3, 0, 3, 2, 1, 1, 3, 0, 2, 3, 0, 0, 1, 1, 2};

}  // namespace

Model picas_case_study(bool timer_twice)
{
  Example example(4);
  for (int executor = 1; executor <= 18; ++executor) {
    example.thread(static_cast<Index>(kCoreOf[executor]), 91 - executor);
  }
  int priority = 30;  // one priority for each task, falling from chain to chain, and within a chain
                      // from its end
  for (Index row = 0; row < kRows.size(); ++row) {
    const auto & steps = kRows[row].steps;
    std::vector<Index> path;
    for (Index i = 0; i < steps.size(); ++i) {
      const Index thread = static_cast<Index>(steps[i].executor - 1);
      // The timer has the lowest priority of its chain.
      const int own = priority - static_cast<int>(steps.size()) + 1 + static_cast<int>(i);
      const Ns time = steps[i].tenths * kTenth;
      if (i > 0) {
        path.push_back(example.sub(thread, own, {path.back()}, time));
      } else if (row == 1 && !timer_twice) {
        path.push_back(example.model.chains[0].path[0]);
      } else {
        path.push_back(example.timer(thread, own, kRows[row].period_ms * kMs, time));
      }
    }
    priority -= static_cast<int>(steps.size());
    if (row == 1) {  // a task that two chains share has the priority that the later chain would
                     // give it
      const int shared = priority + 1;
      example.model.tasks[path[0]].priority = shared;
      example.model.tasks[example.model.chains[0].path[0]].priority = shared;
    }
    example.chain(std::move(path));
  }
  return example.model;
}

}  // namespace takt_plan::test
