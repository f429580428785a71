#include "support/observed_ages.hpp"

#include <algorithm>
#include <numeric>

namespace takt_plan::test
{
namespace
{

bool starts(const Task & task, Index before)
{
  return std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & link) {
    return link.from == before;
  });
}

const Link & read_of(const Task & task, Index from)
{
  return *std::find_if(
    task.reads.begin(), task.reads.end(), [&](const Link & link) { return link.from == from; });
}

}  // namespace

void RunRecord::on_end(Index, Index task, Ns release, Ns start, Ns end)
{
  jobs_[task].push_back({release, start, end});
}

bool RunRecord::can_be_told(const std::vector<Index> & path, bool exact) const
{
  for (Index i = 1; i < path.size(); ++i) {
    const Task & task = model_.tasks[path[i]];
    if (starts(task, path[i - 1])) {
      if (task.triggers.size() != 1 || task.release) {
        return false;
      }
      continue;
    }
    const Link & link = read_of(task, path[i - 1]);
    const auto of_topic = std::count_if(
      task.reads.begin(), task.reads.end(),
      [&](const Link & other) { return other.topic == link.topic; });
    if (of_topic != 1 || (link.delay > 0 && !exact)) {
      return false;
    }
  }
  return true;
}

RunRecord::Origins RunRecord::by_reading(Index reader, Index from, const Origins & origins) const
{
  const Ns delay = read_of(model_.tasks[reader], from).delay;
  Origins result;
  std::size_t seen = 0;
  for (const Job & job : jobs_[reader]) {
    while (seen < jobs_[from].size() && jobs_[from][seen].end + delay <= job.start) {
      ++seen;
    }
    result.push_back(seen == 0 ? -1 : origins[seen - 1]);
  }
  return result;
}

std::optional<Ages> RunRecord::ages(Index chain, bool exact) const
{
  const std::vector<Index> & path = model_.chains[chain].path;
  if (!can_be_told(path, exact)) {
    return std::nullopt;
  }
  const std::vector<Job> & roots = jobs_[path.front()];
  Origins origins(roots.size());
  std::iota(origins.begin(), origins.end(), 0);
  for (Index i = 1; i < path.size(); ++i) {
    if (starts(model_.tasks[path[i]], path[i - 1])) {
      origins.resize(jobs_[path[i]].size(), -1);  // each run starts one run of this callback
    } else {
      origins = by_reading(path[i], path[i - 1], origins);
    }
  }
  Ages result;
  std::ptrdiff_t in_use = -1;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const Ns end = jobs_[path.back()][i].end;
    const std::ptrdiff_t origin = origins[i];
    if (origin < 0) {
      continue;
    }
    if (origin > in_use) {
      // The longest wait is that of an event just after the run that was in use.
      if (in_use >= 0) {
        result.data_age = std::max(result.data_age, end - roots[in_use].start);
      }
      for (std::ptrdiff_t missed = std::max<std::ptrdiff_t>(in_use, 0); missed < origin; ++missed) {
        result.reaction_time = std::max(result.reaction_time, end - roots[missed].start);
      }
      result.response = std::max(result.response, end - roots[origin].release);
      in_use = origin;
    }
    result.at_output = std::max(result.at_output, end - roots[origin].start);
  }
  return result;
}

}  // namespace takt_plan::test
