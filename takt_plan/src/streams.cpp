#include "streams.hpp"

#include <algorithm>
#include <utility>

namespace takt_plan::detail
{

bool joins(const Task & task)
{
  return task.all && std::any_of(task.triggers.begin(), task.triggers.end(), [&](const Link & l) {
           return l.topic != task.triggers.front().topic;
         });
}

std::string too_many_ways(const std::string & whom)
{
  return whom + " is started in more than " + std::to_string(Streams::kMostPerTask) +
         " ways; this analysis does not tell so many apart";
}

Streams::Streams(const Model & model, const std::vector<Index> & order)
: of_(model.tasks.size()),
  too_many_(model.tasks.size()),
  waits_(model.tasks.size())
{
  for (const Index index : order) {
    const Task & task = model.tasks[index];
    if (task.release) {
      add({index, index, task.release->period, {}});
    }
    if (joins(task) && !task.release && add_joined(model, index)) {
      continue;
    }
    waits_[index] = joins(task);
    for (Index link = 0; link < task.triggers.size(); ++link) {
      const Index from = task.triggers[link].from;
      too_many_[index] |= too_many_[from];
      for (const Index stream : of_[from]) {
        if (of_[index].size() == kMostPerTask) {
          too_many_[index] = true;
        } else {
          add({index, all_[stream].source, all_[stream].period, {{stream, link}}});
        }
      }
    }
    if (too_many_[index]) {
      of_[index].clear();
    }
  }
}

Index Streams::add(Stream stream)
{
  of_[stream.task].push_back(all_.size());
  all_.push_back(std::move(stream));
  return all_.size() - 1;
}

/// Ways of one release that part and meet again: every release comes by each of them once, so the
/// task runs once per release. False if the ways are not of that kind.
bool Streams::add_joined(const Model & model, Index index)
{
  const Task & task = model.tasks[index];
  Stream joined{index, kNone, 0, {}};
  for (Index link = 0; link < task.triggers.size(); ++link) {
    const Index from = task.triggers[link].from;
    const bool topic_again = std::any_of(
      task.triggers.begin(), task.triggers.begin() + link,
      [&](const Link & before) { return before.topic == task.triggers[link].topic; });
    if (topic_again || of_[from].size() != 1 || waits_[from]) {
      return false;
    }
    const Stream & stream = all_[of_[from].front()];
    if (joined.source != kNone && joined.source != stream.source) {
      return false;
    }
    joined.source = stream.source;
    joined.period = stream.period;
    joined.from.push_back({of_[from].front(), link});
  }
  add(std::move(joined));
  return true;
}

double Streams::rate(Index task) const
{
  double sum = 0;
  for (const Index stream : of_[task]) {
    sum += 1 / static_cast<double>(all_[stream].period);
  }
  return sum;
}

}  // namespace takt_plan::detail
