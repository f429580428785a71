// Finds the jobs that run only after the end of another one, and those that may preempt it because
// it has published before its end.
#include "analysis/jobs/job_windows.hpp"

#include <algorithm>

namespace takt_plan::detail
{

void JobWindows::find_followers()
{
  const std::size_t count = graph_.nodes.size();
  follows_.assign(count * count, 0);
  within_.assign(count * count, 0);
  for (Index before = 0; before < count; ++before) {
    follows_[before * count + before] = 1;
    within_[before * count + before] = 1;
    const JobLevel & own = graph_.levels[graph_.nodes[before].level];
    // A node stands behind the nodes that start it.
    for (Index index = before + 1; index < count; ++index) {
      const JobNode & node = graph_.nodes[index];
      const JobLevel & level = graph_.levels[node.level];
      // Otherwise it waits for its thread or its core.
      const bool may_run = level.core != own.core || level.urgency > own.urgency ||
                           (level.urgency == own.urgency && own.shared);
      std::vector<Index> starters;
      if (!node.topics.empty()) {
        starters.push_back(node.topics[node.slowest]);
      }
      for (const JobNode::From & from : node.from) {
        starters.push_back(from.node);
      }
      for (const Index starter : starters) {
        if (follows(starter, before)) {
          follows_[before * count + index] = 1;
        }
        if (may_run && within_[before * count + starter] != 0) {
          within_[before * count + index] = 1;
        }
      }
    }
  }
  for (Index before = 0; before < count; ++before) {
    for (const Index node : on_[graph_.levels[graph_.nodes[before].level].core]) {
      if (follows(node, before)) {
        following_[before].push_back(node);
      }
    }
  }
  std::vector<Index> receivers(count, 0);
  std::vector<char> keeps(count, 0);  // keeps a message, and does not publish
  for (const JobNode & node : graph_.nodes) {
    for (const JobNode::From & from : node.from) {
      ++receivers[from.node];
    }
    for (const Index topic : node.topics) {
      keeps[topic] = 1;
    }
  }
  preempted_.assign(count, 0);
  sends_first_.assign(count, 0);
  for (Index before = 0; before < count; ++before) {
    sends_first_[before] =
      receivers[before] <= 1 || model_.tasks[graph_.nodes[before].task].one_topic ? 1 : 0;
    for (Index node = before + 1; node < count; ++node) {
      if (keeps[before] == 0 && preempts(node, before)) {
        preempted_[before] = add(preempted_[before], graph_.nodes[node].cost);
      }
    }
  }
}

// True if job k of the node may run within job k of `before`, which has published already.
bool JobWindows::preempts(Index node, Index before) const
{
  const JobLevel & own = graph_.levels[graph_.nodes[node].level];
  const JobLevel & other = graph_.levels[graph_.nodes[before].level];
  const bool in_turn = own.urgency == other.urgency && own.rotates &&
                       model_.tasks[graph_.nodes[node].task].threads !=
                         model_.tasks[graph_.nodes[before].task].threads;
  return terms_.followers && node != before && within_[before * graph_.nodes.size() + node] != 0 &&
         own.core == other.core && (own.urgency > other.urgency || in_turn);
}

// The latest time at which the job's first message is sent; `end`: of the job. If the job sends
// several messages, the next one may wait for the work that the first one starts.
Ns JobWindows::end_without_followers(const Job & job, Ns end)
{
  if (preempted_[job.node] == 0 || sends_first_[job.node] == 0 || round_ == 1) {
    return end;
  }
  without_followers_ = true;
  const Ns sent = end_of(job, nullptr);
  without_followers_ = false;
  return std::min(sent, end);
}

}  // namespace takt_plan::detail
