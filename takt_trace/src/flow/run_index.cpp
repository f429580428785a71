#include "flow/run_index.hpp"

#include <algorithm>

#include "callback_ids.hpp"

namespace takt_trace::detail
{

RunIndex::RunIndex(const std::vector<LongTrace> & processes)
: processes_(processes),
  clock_(processes)
{
  for (std::size_t process = 0; process < processes.size(); ++process) {
    for (std::size_t thread = 0; thread < processes[process].threads.size(); ++thread) {
      read(process, thread);
    }
  }
  for (auto & [id, runs] : made_runs_of_) {
    runs.sort([](const EndedRun & a, const EndedRun & b) { return a.end < b.end; });
    runs_of_.emplace(id, std::move(runs));
  }
  made_runs_of_.clear();
  publishers_ = SortedList<Publisher>(std::move(made_publishers_));
  flows_ = SortedList<MessageFlow>(message_flows(processes).joined);
}

// Reads the runs with their records, and finds the run of each publish.
void RunIndex::read(std::size_t process, std::size_t thread)
{
  const auto & records = processes_[process].threads[thread].records;
  const LongVector<std::size_t> others = pair_runs(records);
  std::vector<std::size_t> open;          // runs
  std::size_t taken = takes_.size();      // first take of the run that starts next
  std::size_t kernel_wait = kNoRecord;    // record
  std::uint32_t waited = 0;               // the callback of this record
  std::size_t told = chain_ends_.size();  // first end of the run that ends next
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record record = records[i];
    switch (record.kind) {
      case RecordKind::take:
        takes_.push_back(i);
        break;
      case RecordKind::run_start:
        if (const std::size_t end = others[i]; end != kNoRecord) {
          open.push_back(runs_.size());
          runs_.push_back({process, thread, i, end, kNoRecord, taken, takes_.size() - taken});
          const auto & callbacks = processes_[process].callbacks;
          if (record.id < callbacks.size()) {
            made_runs_of_[{process, callbacks[record.id].id}].push_back(
              {records[end].time, open.back()});
          }
        }
        taken = takes_.size();
        break;
      case RecordKind::run_end:
        if (!open.empty() && others[i] != kNoRecord && runs_[open.back()].end == i) {
          if (kernel_wait != kNoRecord && waited == record.id) {
            TracedRun run = runs_[open.back()];
            run.kernel_wait = kernel_wait;
            runs_.set(open.back(), run);
          }
          for (std::size_t end = told; end < chain_ends_.size(); ++end) {
            chain_ends_.set(end, {chain_ends_[end].place, open.back()});
          }
          open.pop_back();
        }
        kernel_wait = kNoRecord;
        told = chain_ends_.size();
        break;
      case RecordKind::kernel_wait:
        kernel_wait = i;
        waited = record.id;
        break;
      case RecordKind::chain_end:
        chain_ends_.push_back({{process, thread, i}, kNoRecord});
        break;
      case RecordKind::publish:
        if (!open.empty()) {
          made_publishers_.push_back({{process, thread, i}, open.back()});
        }
        break;
      default:
        break;
    }
  }
}

std::optional<Record> RunIndex::kernel_wait_of(const TracedRun & run) const
{
  return run.kernel_wait == kNoRecord ? std::nullopt : std::optional(record(run, run.kernel_wait));
}

Record RunIndex::at(const RecordPlace & place) const
{
  return processes_[place.process].threads[place.thread].records[place.record];
}

std::optional<RecordPlace> RunIndex::publish_of(const RecordPlace & take) const
{
  const std::size_t index =
    flows_.first_not([&](const MessageFlow & flow) { return key_of(flow.take) < key_of(take); });
  return index < flows_.size() && flows_[index].take == take ? std::optional(flows_[index].publish)
                                                             : std::nullopt;
}

/// kNoRecord: outside of runs.
std::size_t RunIndex::publisher_of(const RecordPlace & publish) const
{
  const std::size_t index = publishers_.first_not(
    [&](const Publisher & one) { return key_of(one.publish) < key_of(publish); });
  return index < publishers_.size() && publishers_[index].publish == publish
           ? publishers_[index].run
           : kNoRecord;
}

const TracedCallback * RunIndex::callback_of(const TracedRun & run) const
{
  const auto & callbacks = processes_[run.process].callbacks;
  const std::uint32_t id = start_of(run).id;
  return id < callbacks.size() ? &callbacks[id] : nullptr;
}

const SortedList<EndedRun> * RunIndex::runs_of(std::size_t process, const std::string & id) const
{
  const auto found = runs_of_.find({process, id});
  return found == runs_of_.end() ? nullptr : &found->second;
}

std::optional<RunBefore> RunIndex::before(const std::string & callback, std::size_t index) const
{
  const TracedRun run = runs_[index];
  for (std::size_t take = run.first_take; take < run.first_take + run.takes; ++take) {
    const auto publish = publish_of({run.process, run.thread, takes_[take]});
    const std::size_t in = publish ? publisher_of(*publish) : kNoRecord;
    if (in == kNoRecord) {
      continue;
    }
    const TracedRun publisher = runs_[in];
    const TracedCallback * const publishes = callback_of(publisher);
    if (publishes == nullptr) {
      continue;
    }
    if (publishes->id == callback) {
      return RunBefore{in, *publish, in};
    }
    if (node_in(publishes->id) == node_in(callback)) {
      const auto last = last_before(publisher.process, callback, at(*publish).time);
      return last ? std::optional(RunBefore{*last, *publish, in}) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> RunIndex::last_before(
  std::size_t process, const std::string & callback, std::int64_t time) const
{
  const SortedList<EndedRun> * const runs = runs_of(process, callback);
  if (runs == nullptr) {
    return std::nullopt;
  }
  const std::size_t after = runs->first_not([&](const EndedRun & run) { return run.end <= time; });
  return after == 0 ? std::nullopt : std::optional((*runs)[after - 1].run);
}

}  // namespace takt_trace::detail
