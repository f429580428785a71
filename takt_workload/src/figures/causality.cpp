#include "takt_workload/causality.hpp"

#include <algorithm>

namespace takt_workload
{

Causality::Causality(const Graph & graph, const CallbackTable & table, std::vector<RunRecord> runs)
: table_(table),
  runs_(std::move(runs)),
  carrier_(runs_.size(), kNoRun),
  superseded_(runs_.size(), 0),
  newest_taken_(table.callbacks().size(), 0)
{
  std::stable_sort(runs_.begin(), runs_.end(), [](const RunRecord & a, const RunRecord & b) {
    return a.start < b.start;
  });
  for (RunIndex i = 0; i < runs_.size(); ++i) {
    const RunRecord & run = runs_[i];
    const CallbackEntry & callback = table_.callbacks()[run.callback];
    if (run.published != 0) {
      published_.emplace(key(callback.output_topic, run.published), i);
    }
    if (run.taken != 0 && !run.foreign) {
      taken_.emplace(key(run.callback, run.taken), i);
      newest_taken_[run.callback] = std::max(newest_taken_[run.callback], run.taken);
    }
  }
  replay_joins(graph, table);
}

void Causality::replay_joins(const Graph & graph, const CallbackTable & table)
{
  // By callback: the run whose message its slot holds.
  std::vector<RunIndex> slots(table.callbacks().size(), kNoRun);
  std::vector<std::vector<std::uint32_t>> members(graph.nodes.size());
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    members[node] = table.of_node(node);
  }
  for (RunIndex i = 0; i < runs_.size(); ++i) {
    const RunRecord & run = runs_[i];
    const CallbackEntry & callback = table.callbacks()[run.callback];
    if (graph.nodes[callback.node].joins()) {
      if (RunIndex & slot = slots[run.callback]; !callback.timer) {
        if (slot != kNoRun) {
          superseded_[slot] = 1;
        }
        slot = i;
      }
      if (run.published == 0) {
        continue;
      }
      std::vector<RunIndex> parts;
      if (callback.timer) {
        parts.push_back(i);
      }
      for (const std::uint32_t member : members[callback.node]) {
        if (slots[member] != kNoRun) {
          parts.push_back(slots[member]);
          carrier_[slots[member]] = i;
          slots[member] = kNoRun;
        }
      }
      carrier_[i] = i;
      contributors_.emplace(i, std::move(parts));
    } else if (run.published != 0) {
      carrier_[i] = i;
      contributors_.emplace(i, std::vector<RunIndex>{i});
    }
  }
}

const std::vector<RunIndex> & Causality::contributors(RunIndex run) const
{
  static const std::vector<RunIndex> none;
  const auto found = contributors_.find(run);
  return found == contributors_.end() ? none : found->second;
}

RunIndex Causality::source(RunIndex run) const
{
  const RunRecord & record = runs_[run];
  if (record.taken == 0 || record.foreign) {
    return kNoRun;
  }
  const auto found =
    published_.find(key(table_.callbacks()[record.callback].input_topic, record.taken));
  return found == published_.end() ? kNoRun : found->second;
}

RunIndex Causality::taker(std::uint32_t callback, RunIndex carrier) const
{
  const auto found = taken_.find(key(callback, runs_[carrier].published));
  return found == taken_.end() ? kNoRun : found->second;
}

bool Causality::overtaken(std::uint32_t callback, RunIndex carrier) const
{
  return newest_taken_[callback] > runs_[carrier].published;
}

bool Causality::was_fresh(RunIndex timer_run, std::uint32_t input) const
{
  for (const RunIndex part : contributors(timer_run)) {
    if (runs_[part].callback == input) {
      return true;
    }
  }
  return false;
}

std::vector<RunIndex> Causality::roots(RunIndex run) const
{
  std::vector<RunIndex> found;
  std::vector<RunIndex> open{run};
  std::vector<RunIndex> seen;
  while (!open.empty()) {
    const RunIndex one = open.back();
    open.pop_back();
    if (std::find(seen.begin(), seen.end(), one) != seen.end()) {
      continue;
    }
    seen.push_back(one);
    if (table_.callbacks()[runs_[one].callback].timer) {
      found.push_back(one);
      continue;
    }
    const RunIndex from = source(one);
    if (from == kNoRun) {
      continue;
    }
    if (table_.callbacks()[runs_[from].callback].timer) {
      found.push_back(from);  // what a planner had in its slots belongs to its last cycle
      continue;
    }
    for (const RunIndex part : contributors(from)) {
      open.push_back(part);
    }
  }
  return found;
}

}  // namespace takt_workload
