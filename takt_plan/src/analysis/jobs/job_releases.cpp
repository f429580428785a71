// The releases of a node's jobs, and the jobs that may not come.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace takt_plan::detail
{
namespace
{

// One state of a set takes as long as so many terms of sums.
constexpr std::int64_t kLooksPerState = 30;

}  // namespace

// Finds the releases of the node's jobs. Returns true if they moved.
bool JobWindows::release(Index index)
{
  const JobNode & node = graph_.nodes[index];
  JobWindow & window = windows_[index];
  JobTimes earliest = window.earliest, latest = window.latest;
  std::vector<char> may_miss = window.may_miss;
  bool moved = false;
  for (std::int64_t job = 0; job < node.jobs; ++job) {
    if (node.from.empty()) {
      earliest[job] = node.offset + job * node.period;
      latest[job] = earliest[job] + node.jitter;
      if (node.unphased) {
        latest[job] += terms_.unphased ? node.period : 0;
        may_miss[static_cast<std::size_t>(job)] = 1;
      }
      continue;
    }
    for (Index i = 0; i < node.from.size(); ++i) {
      const JobWindow & before = windows_[node.from[i].node];
      ends_[index] = ends_[index] && ends_[node.from[i].node];
      const Ns from = before.earliest[job], to = add(before.sent[job], node.from[i].delay);
      earliest[job] = i == 0 ? from : std::max(earliest[job], from);
      latest[job] = i == 0 ? to : std::max(latest[job], to);
      const bool again = i == 0 && search_ == Search::from_above;
      const char own = again ? char{0} : may_miss[static_cast<std::size_t>(job)];
      may_miss[static_cast<std::size_t>(job)] =
        own != 0 || before.may_miss[static_cast<std::size_t>(job)] != 0 ? 1 : 0;
    }
  }
  if (node.from.empty() && !node.unphased) {
    skip(index, may_miss);
  }
  moved = moved || may_miss != window.may_miss;
  window.may_miss = std::move(may_miss);
  moved = moved || !(earliest == window.earliest) || !(latest == window.latest);
  window.from = earliest.rising_down();
  window.to = latest.rising_up();
  window.earliest = std::move(earliest);
  window.latest = std::move(latest);
  return moved;
}

// Marks the periods that a timer may skip: a run that begins late skips the periods that have begun
// meanwhile. Windows from above are known to hold, so only they count.
void JobWindows::skip(Index index, std::vector<char> & may_miss) const
{
  const JobNode & node = graph_.nodes[index];
  const JobWindow & window = windows_[index];
  if (search_ == Search::from_above) {
    may_miss.assign(may_miss.size(), 0);
  }
  for (std::int64_t job = 0; round_ > 1 && ends_[index] && job < node.jobs; ++job) {
    // A run of full length begins so long before its end. The dispatch may come before the begin.
    const Ns begins = window.end[job] - node.cost + model_.tasks[node.task].dispatch;
    const std::int64_t late = floor_div(begins - node.offset, node.period);
    for (std::int64_t next = job + 1; next <= std::min(late, job + node.jobs); ++next) {
      may_miss[within(next, node.jobs)] = 1;
    }
  }
}

bool JobWindows::release_work(Index index)
{
  const JobNode & node = graph_.nodes[index];
  JobWindow & window = windows_[index];
  std::vector<const JobWindow *> topics;
  for (const Index topic : node.topics) {
    ends_[index] = ends_[index] && ends_[topic];
    topics.push_back(&windows_[topic]);
  }
  if (!ends_[index]) {
    return false;
  }
  std::int64_t states = 0;
  std::optional<JobSet> set = job_set(
    topics, node.slowest, terms_.starts ? node.start : SetStart::first,
    terms_.starts && (node.any_start || (search_ == Search::from_start && settles_later(node))),
    graph_.from_start, &states);
  looks_ += kLooksPerState * states;
  if (!set && graph_.clusters && search_ != Search::from_above) {
    ends_[index] = false;  // others of the part may have ends
    return false;
  }
  if (!set) {
    failed_ = true;
    return false;
  }
  sets_[index] = std::move(*set);
  JobTimes earliest = window.earliest, latest = window.latest;
  for (std::int64_t job = 0; job < node.jobs; ++job) {
    earliest[job] = topics[node.slowest]->earliest[job];
    latest[job] = topics[node.slowest]->latest[job];
    bool first = true;
    auto & by = sets_[index].by[static_cast<std::size_t>(job)];
    for (Index topic = 0; topic < by.size(); ++topic) {
      if (!terms_.orders && topic != node.slowest && by[node.slowest].possible) {
        by[topic].possible = false;
      }
      if (by[topic].possible) {
        earliest[job] = first ? by[topic].earliest : std::min(earliest[job], by[topic].earliest);
        latest[job] = first ? by[topic].latest : std::max(latest[job], by[topic].latest);
        first = false;
      }
    }
  }
  const bool moved = !(earliest == window.earliest) || !(latest == window.latest) ||
                     window.may_miss != sets_[index].may_miss;
  window.may_miss = sets_[index].may_miss;
  window.from = earliest.rising_down();
  window.to = latest.rising_up();
  window.earliest = std::move(earliest);
  window.latest = std::move(latest);
  return moved;
}

}  // namespace takt_plan::detail
