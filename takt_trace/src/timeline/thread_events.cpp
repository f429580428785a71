#include "timeline/thread_events.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run_pairs.hpp"
#include "saturating.hpp"
#include "stalls/host_stalls.hpp"
#include "timeline/nest.hpp"

namespace takt_trace::detail
{
namespace
{

class ThreadReader
{
public:
  ThreadReader(const LongTrace & process, const LongThread & thread, Texts & texts)
  : process_(process),
    records_(thread.records),
    lossy_(thread.dropped > 0),
    texts_(texts),
    others_(pair_runs(thread.records)),
    nest_(lossy_)
  {
  }

  ThreadEvents read(std::int64_t trace_end)
  {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record record = records_[i];
      now_ = std::max(now_, record.time);
      read_record(i, record);
    }
    events_.slices = nest_.finish(std::max(now_, trace_end));
    return std::move(events_);
  }

private:
  void read_record(std::size_t index, const Record & record)
  {
    switch (record.kind) {
      case RecordKind::run_start:
        start_run(index, record);
        break;
      case RecordKind::run_end:
        end_activations(record);
        if (const std::size_t start = others_[index]; start != kNoRecord) {
          const auto slice = slices_.find(start);
          add_measured(record, slice->second);
          nest_.end_run(now_, slice->second);
          slices_.erase(slice);
        }
        kernel_wait_.reset();
        break;
      case RecordKind::kernel_wait:
        kernel_wait_ = record;
        add_core_wait(record);
        break;
      case RecordKind::empty_take:
        add_instant_of_callback(record, "empty take", Category::message);
        break;
      case RecordKind::callback_state:
        break;  // see states/callback_states.hpp
      case RecordKind::parked:
        add_instant_of_callback(record, "parked: group busy", Category::callback);
        break;
      case RecordKind::host_stall:
        add_stall(record);
        break;
      case RecordKind::exception:
        add_instant_of_callback(record, "exception", Category::callback);
        break;
      case RecordKind::take:
        takes_.emplace_back(index, record.id);
        break;
      case RecordKind::publish:
        events_.publishes.push_back({index, record.time, events_.instants.size()});
        add_instant(
          record, "publish " + name_at(process_.topics, record.id, "topic"), Category::message);
        break;
      case RecordKind::chain_end:
        chain_ends_.push_back(record);
        break;
      case RecordKind::span_begin:
        nest_.begin_span(now_, texts_.add(name_of(record)));
        break;
      case RecordKind::span_end:
        nest_.end_span(now_);
        break;
      case RecordKind::instant:
        add_instant(record, name_of(record), Category::span);
        break;
      case RecordKind::counter:
        add_sample(record);
        break;
      case RecordKind::slice:
        add_told(record);
        break;
    }
  }

  void start_run(std::size_t index, const Record & start)
  {
    if (lossy_) {
      chain_ends_.clear();  // the end of their run is lost
    }
    SliceFacts facts;
    if (start.a > 0 && start.time >= start.a) {
      facts.add_waited(static_cast<double>(start.time - start.a) / 1e3);
    }
    if (const std::int64_t skipped = skipped_periods(start); skipped > 0) {
      facts.add_skipped(skipped);
    }
    if (const int core = core_of(start); core >= 0) {
      facts.add_core(core);
    }
    const bool has_end = others_[index] != kNoRecord;
    const std::size_t slice = nest_.start_run(now_, callback_of(start), start.b, has_end, facts);
    if (has_end) {
      slices_.emplace(index, slice);
    }
    for (const auto & [take, callback] : takes_) {
      if (callback == start.id) {
        events_.takes.push_back({take, now_, slice});
      }
    }
    takes_.clear();
  }

  void add_measured(const Record & end, std::size_t index)
  {
    const bool has_wait = kernel_wait_ && kernel_wait_->id == end.id;
    if (end.b <= 0 && !has_wait) {
      return;
    }
    const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
    Slice slice = nest_.at(index);
    if (end.b > 0) {
      slice.facts.add_cpu(microseconds(end.b));
    }
    if (has_wait) {
      if (kernel_wait_->a >= 0) {
        slice.facts.add_core_wait_before(microseconds(kernel_wait_->a));
      }
      slice.facts.add_core_wait(microseconds(kernel_wait_->b));
    }
    nest_.set(index, slice);
  }

  void end_activations(const Record & end)
  {
    for (const Record & chain_end : chain_ends_) {
      if (chain_end.a > 0 && chain_end.a <= end.time) {
        events_.activations.push_back({chain_end.id, chain_end.a, end.time});
      }
    }
    chain_ends_.clear();
  }

  void add_instant(const Record & record, const std::string & name, Category category)
  {
    events_.instants.push_back(
      {record.time, texts_.add(name), category, false, {}, events_.instants.size()});
  }

  void add_instant_of_callback(const Record & record, const std::string & name, Category category)
  {
    const Text text = texts_.add(name);
    events_.instants.push_back(
      {record.time, text, category, true, callback_of(record), events_.instants.size()});
  }

  void add_core_wait(const Record & wait)
  {
    const std::int64_t all = saturating_add(std::max<std::int64_t>(wait.a, 0), wait.b);
    events_.core_waits.push_back({wait.time, static_cast<double>(all) / 1e3});
  }

  void add_stall(const Record & record)
  {
    if (record.a <= record.b) {
      const Text name = texts_.add(words_of_stall(record));
      events_.host_stalls.push_back({record.a, record.b, name, Category::host});
    }
  }

  void add_sample(const Record & record)
  {
    const auto value = std::bit_cast<double>(record.a);
    if (std::isfinite(value)) {
      events_.samples.push_back({texts_.add(name_of(record)), {record.time, value}});
    }
  }

  void add_told(const Record & record)
  {
    if (record.a <= record.b) {
      const Text name = texts_.add(name_of(record));
      events_.told.push_back({record.a, record.b, name, Category::span});
    }
  }

  std::string name_of(const Record & record) const
  {
    return name_at(process_.names, record.id, "name");
  }

  Text callback_of(const Record & record) const
  {
    const bool known = record.id < process_.callbacks.size();
    return texts_.add(
      known ? process_.callbacks[record.id].id : "callback " + std::to_string(record.id));
  }

  const LongTrace & process_;
  const LongVector<Record> & records_;
  const bool lossy_;
  Texts & texts_;
  const LongVector<std::size_t> others_;                 // for run_start and run_end
  std::unordered_map<std::size_t, std::size_t> slices_;  // of the starts of runs in progress
  Nest nest_;
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
  ThreadEvents events_;
  std::vector<std::pair<std::size_t, std::uint32_t>> takes_;  // record, callback
  std::vector<Record> chain_ends_;
  std::optional<Record> kernel_wait_;  // of the run that ends next
};

}  // namespace

ThreadEvents thread_events(
  const LongTrace & process, const LongThread & thread, std::int64_t trace_end, Texts & texts)
{
  return ThreadReader(process, thread, texts).read(trace_end);
}

}  // namespace takt_trace::detail
