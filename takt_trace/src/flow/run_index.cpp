#include "flow/run_index.hpp"

#include <algorithm>

#include "callback_ids.hpp"

namespace takt_trace::detail
{

RunIndex::RunIndex(const std::vector<ProcessTrace> & processes)
: processes_(processes),
  clock_(processes)
{
  for (std::size_t process = 0; process < processes.size(); ++process) {
    for (std::size_t thread = 0; thread < processes[process].threads.size(); ++thread) {
      read(process, thread);
    }
  }
  for (auto & [id, runs] : runs_of_) {
    std::sort(runs.begin(), runs.end(), [this](std::size_t a, std::size_t b) {
      return end_of(runs_[a]).time < end_of(runs_[b]).time;
    });
  }
  for (const MessageFlow & flow : message_flows(processes).joined) {
    publish_of_.emplace_back(key_of(flow.take), flow.publish);
  }
}

// Runs with all that is told of them, and the runs that publishes are in.
void RunIndex::read(std::size_t process, std::size_t thread)
{
  const auto & records = processes_[process].threads[thread].records;
  const std::vector<std::size_t> others = pair_runs(records);
  std::vector<std::size_t> open;   // runs
  std::vector<std::size_t> taken;  // takes for the run that starts next
  std::size_t kernel_wait = kNoRecord;
  std::size_t told = chain_ends_.size();  // of the run that ends next
  for (std::size_t i = 0; i < records.size(); ++i) {
    switch (records[i].kind) {
      case RecordKind::take:
        taken.push_back(i);
        break;
      case RecordKind::run_start:
        if (others[i] != kNoRecord) {
          open.push_back(runs_.size());
          runs_.push_back({process, thread, i, others[i], kNoRecord, std::exchange(taken, {})});
          if (const TracedCallback * const callback = callback_of(runs_.back())) {
            runs_of_[{process, callback->id}].push_back(open.back());
          }
        }
        taken.clear();
        break;
      case RecordKind::run_end:
        if (!open.empty() && runs_[open.back()].end == i) {
          TracedRun & run = runs_[open.back()];
          if (kernel_wait != kNoRecord && records[kernel_wait].id == records[i].id) {
            run.kernel_wait = kernel_wait;
          }
          for (std::size_t end = told; end < chain_ends_.size(); ++end) {
            chain_ends_[end].run = open.back();
          }
          open.pop_back();
        }
        kernel_wait = kNoRecord;
        told = chain_ends_.size();
        break;
      case RecordKind::kernel_wait:
        kernel_wait = i;
        break;
      case RecordKind::chain_end:
        chain_ends_.push_back({{process, thread, i}});
        break;
      case RecordKind::publish:
        if (!open.empty()) {
          publisher_.emplace_back(Key{process, thread, i}, open.back());
        }
        break;
      default:
        break;
    }
  }
}

const Record * RunIndex::kernel_wait_of(const TracedRun & run) const
{
  return run.kernel_wait == kNoRecord ? nullptr : &record(run, run.kernel_wait);
}

const Record & RunIndex::at(const RecordPlace & place) const
{
  return processes_[place.process].threads[place.thread].records[place.record];
}

template <typename Value>
const Value * RunIndex::find(const std::vector<std::pair<Key, Value>> & sorted, const Key & key)
{
  const auto found = std::lower_bound(
    sorted.begin(), sorted.end(), key,
    [](const auto & entry, const Key & wanted) { return entry.first < wanted; });
  return found == sorted.end() || found->first != key ? nullptr : &found->second;
}

const RecordPlace * RunIndex::publish_of(const RecordPlace & take) const
{
  return find(publish_of_, key_of(take));
}

const TracedCallback * RunIndex::callback_of(const TracedRun & run) const
{
  const auto & callbacks = processes_[run.process].callbacks;
  const std::uint32_t id = start_of(run).id;
  return id < callbacks.size() ? &callbacks[id] : nullptr;
}

const std::vector<std::size_t> * RunIndex::runs_of(
  std::size_t process, const std::string & id) const
{
  const auto found = runs_of_.find({process, id});
  return found == runs_of_.end() ? nullptr : &found->second;
}

std::optional<RunBefore> RunIndex::before(const std::string & callback, std::size_t index) const
{
  const TracedRun & run = runs_[index];
  for (const std::size_t take : run.takes) {
    const RecordPlace * const publish = find(publish_of_, Key{run.process, run.thread, take});
    const std::size_t * const in =
      publish == nullptr ? nullptr : find(publisher_, key_of(*publish));
    if (in == nullptr) {
      continue;
    }
    const TracedRun & publisher = runs_[*in];
    const TracedCallback * const publishes = callback_of(publisher);
    if (publishes == nullptr) {
      continue;
    }
    if (publishes->id == callback) {
      return RunBefore{*in, *publish, *in};
    }
    if (node_in(publishes->id) == node_in(callback)) {
      const auto last = last_before(publisher.process, callback, at(*publish).time);
      return last ? std::optional(RunBefore{*last, *publish, *in}) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> RunIndex::last_before(
  std::size_t process, const std::string & callback, std::int64_t time) const
{
  const std::vector<std::size_t> * const runs = runs_of(process, callback);
  if (runs == nullptr) {
    return std::nullopt;
  }
  const auto after = std::partition_point(
    runs->begin(), runs->end(), [&](std::size_t run) { return end_of(runs_[run]).time <= time; });
  return after == runs->begin() ? std::nullopt : std::optional(*(after - 1));
}

}  // namespace takt_trace::detail
