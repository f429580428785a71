#include "callback_lanes.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace takt_trace::detail
{
namespace
{

struct Run
{
  std::uint32_t callback = 0;
  std::int64_t start = 0;
  std::size_t thread = 0;
  std::size_t record = 0;
};

/// The last run of a lane.
struct Lane
{
  std::int64_t end = 0;
  std::size_t thread = 0;
  std::size_t record = 0;  // index of its end

  /// If times are equal, only the order on one thread shows that a run ended before another began.
  bool is_free_for(const Run & run) const
  {
    return end < run.start || (thread == run.thread && record < run.record);
  }
};

bool names_callback(RecordKind kind)
{
  return kind == RecordKind::run_start || kind == RecordKind::run_end ||
         kind == RecordKind::empty_take || kind == RecordKind::exception ||
         kind == RecordKind::take || kind == RecordKind::kernel_wait ||
         kind == RecordKind::callback_state || kind == RecordKind::parked;
}

/// Assigns lanes to the runs from `from` up to those of the next callback. Returns the number of
/// lanes, and moves `from`.
std::uint32_t assign(
  const LongVector<Run> & runs, std::size_t & from, const std::vector<ThreadView> & threads,
  CallbackLanes & result)
{
  const std::uint32_t callback = runs[from].callback;
  std::vector<Lane> lanes;
  for (; from < runs.size() && runs[from].callback == callback; ++from) {
    const Run run = runs[from];
    auto lane = std::find_if(
      lanes.begin(), lanes.end(), [&](const Lane & one) { return one.is_free_for(run); });
    if (lane == lanes.end()) {
      lane = lanes.emplace(lanes.end());
    }
    const auto number = static_cast<std::uint32_t>(lane - lanes.begin());
    const std::size_t end = threads[run.thread].others[run.record];
    auto & of_record = result.of_record[run.thread];
    of_record.set(run.record, number);
    if (end == kNoRecord) {
      *lane = {run.start, run.thread, run.record};
    } else {
      of_record.set(end, number);
      *lane = {threads[run.thread].times[end], run.thread, end};
    }
  }
  return static_cast<std::uint32_t>(lanes.size());
}

}  // namespace

CallbackLanes callback_lanes(const std::vector<ThreadView> & threads)
{
  CallbackLanes result;
  LongVector<Run> runs;
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    const auto & records = threads[thread].thread->records;
    result.of_record.emplace_back(records.size(), 0);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Record record = records[i];
      if (names_callback(record.kind)) {
        result.count.try_emplace(record.id, 1);
        if (record.kind == RecordKind::run_start) {
          runs.push_back({record.id, threads[thread].times[i], thread, i});
        }
      }
    }
  }
  runs.sort([](const Run & a, const Run & b) {
    return std::tie(a.callback, a.start, a.thread, a.record) <
           std::tie(b.callback, b.start, b.thread, b.record);
  });
  for (std::size_t from = 0; from < runs.size();) {
    const std::uint32_t callback = runs[from].callback;
    result.count[callback] = assign(runs, from, threads, result);
  }
  return result;
}

}  // namespace takt_trace::detail
