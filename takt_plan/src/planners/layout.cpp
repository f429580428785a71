#include "planners/layout.hpp"

#include "planners/waits.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace takt_plan::detail
{

Layout::Layout(const PlanProblem & problem)
: problem_(&problem),
  cores_(problem.model.cores.size()),
  core_of_(problem.model.tasks.size(), kNone),
  load_(problem.model.cores.size(), 0),
  offsets_(problem.model.tasks.size())
{
}

void Layout::set(Index core, std::vector<Block> blocks)
{
  for (const Block & block : cores_[core]) {
    for (const Index task : block.tasks) {
      core_of_[task] =
        core_of_[task] == core ? kNone : core_of_[task];  // it may have moved already
    }
  }
  cores_[core] = std::move(blocks);
  load_[core] = 0;
  for (const Block & block : cores_[core]) {
    for (const Index task : block.tasks) {
      core_of_[task] = core;
      load_[core] += problem_->utilization(task);
    }
  }
}

void Layout::insert(Index core, Index place, const std::vector<Block> & blocks)
{
  std::vector<Block> there = cores_[core];
  there.insert(there.begin() + static_cast<std::ptrdiff_t>(place), blocks.begin(), blocks.end());
  set(core, std::move(there));
}

void Layout::set_offset(Index task, Ns offset)
{
  offsets_[task] = offset;
}

bool Layout::crowded(Index core) const
{
  return load_[core] > problem_->room[core] + kLoadNoise;
}

bool Layout::begins_quiet(Index core) const
{
  return !cores_[core].empty() && !problem_->talks[cores_[core].front().executor];
}

// The last core of a host stays free of such threads if all others have them.
bool Layout::lifts(Index core) const
{
  if (!begins_quiet(core)) {
    return false;
  }
  const auto & cores = problem_->model.cores;
  bool other_free = false, last = true;
  for (Index other = 0; other < cores.size(); ++other) {
    if (cores[other].host == cores[core].host) {
      other_free = other_free || !begins_quiet(other);
      last = last && other <= core;
    }
  }
  return other_free || !last;
}

Index Layout::lifted(Index core) const
{
  const Band & band = problem_->bands[problem_->model.cores[core].host];
  const auto & blocks = cores_[core];
  Index count = 0;
  while (lifts(core) && count < std::min<Index>(static_cast<Index>(band.above), blocks.size()) &&
         !problem_->talks[blocks[count].executor]) {
    ++count;
  }
  return count;
}

int Layout::priority(Index core, Index place) const
{
  const Band & band = problem_->bands[problem_->model.cores[core].host];
  const Index above = lifted(core);
  if (place < above) {
    return band.top - static_cast<int>(place);
  }
  return std::max(
    band.most - static_cast<int>(std::min<Index>(place - above, static_cast<Index>(band.most))),
    band.least);
}

Assignment Layout::assignment() const
{
  Assignment result;
  for (Index core = 0; core < cores_.size(); ++core) {
    for (Index place = 0; place < cores_[core].size(); ++place) {
      const Block & block = cores_[core][place];
      result.threads.push_back(
        {block.executor, core, priority(core, place), block.tasks, place < lifted(core)});
    }
  }
  for (Index task = 0; task < offsets_.size(); ++task) {
    if (offsets_[task]) {
      result.offsets.push_back({task, *offsets_[task]});
    }
  }
  return result;
}

Index Layout::threads() const
{
  return std::accumulate(
    cores_.begin(), cores_.end(), Index{0},
    [](Index sum, const std::vector<Block> & blocks) { return sum + blocks.size(); });
}

void sort_by(const PlanProblem & problem, Urgency urgency, std::vector<Index> & tasks)
{
  std::sort(tasks.begin(), tasks.end(), [&](Index a, Index b) {
    if (urgency == Urgency::deadline && problem.deadlines[a] != problem.deadlines[b]) {
      return problem.deadlines[a] < problem.deadlines[b];
    }
    return problem.position[a] > problem.position[b];
  });
}

std::vector<Block> blocks_of(
  const PlanProblem & problem, const std::vector<Index> & units, Urgency urgency)
{
  std::vector<Index> tasks;
  for (const Index unit : units) {
    const std::vector<Index> & more = problem.units[unit].tasks;
    tasks.insert(tasks.end(), more.begin(), more.end());
  }
  sort_by(problem, urgency, tasks);
  std::vector<Block> blocks;
  for (const Index task : tasks) {
    const Index executor = problem.model.tasks[task].executor;
    auto block = std::find_if(
      blocks.begin(), blocks.end(), [&](const Block & one) { return one.executor == executor; });
    if (block == blocks.end()) {
      block = blocks.insert(blocks.end(), Block{executor, {}, kUnbounded, kNone});
    }
    block->tasks.push_back(task);
    block->deadline = std::min(block->deadline, problem.units[problem.unit_of[task]].deadline);
  }
  return separated(problem, blocks);
}

}  // namespace takt_plan::detail
