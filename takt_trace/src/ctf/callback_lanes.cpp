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
  std::int64_t start = 0;
  std::size_t thread = 0;
  std::size_t record = 0;
};

/// The last run of a lane.
struct Lane
{
  std::int64_t end = 0;
  std::size_t thread = 0;
  std::size_t record = 0;  // its end

  /// At one time only the order on one thread tells that a run ended before another began.
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

void assign(
  std::vector<Run> & runs, const std::vector<ThreadView> & threads, CallbackLanes & result,
  std::uint32_t & count)
{
  std::sort(runs.begin(), runs.end(), [](const Run & a, const Run & b) {
    return std::tie(a.start, a.thread, a.record) < std::tie(b.start, b.thread, b.record);
  });
  std::vector<Lane> lanes;
  for (const Run & run : runs) {
    auto lane = std::find_if(
      lanes.begin(), lanes.end(), [&](const Lane & one) { return one.is_free_for(run); });
    if (lane == lanes.end()) {
      lane = lanes.emplace(lanes.end());
    }
    const auto number = static_cast<std::uint32_t>(lane - lanes.begin());
    const std::size_t end = threads[run.thread].others[run.record];
    auto & of_record = result.of_record[run.thread];
    of_record[run.record] = number;
    if (end == kNoRecord) {
      *lane = {run.start, run.thread, run.record};
    } else {
      of_record[end] = number;
      *lane = {threads[run.thread].times[end], run.thread, end};
    }
  }
  count = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(lanes.size()));
}

}  // namespace

CallbackLanes callback_lanes(const std::vector<ThreadView> & threads)
{
  CallbackLanes result;
  std::map<std::uint32_t, std::vector<Run>> runs;  // by callback
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    const auto & records = threads[thread].thread->records;
    result.of_record.emplace_back(records.size(), 0);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (names_callback(records[i].kind)) {
        auto & of_callback = runs[records[i].id];
        if (records[i].kind == RecordKind::run_start) {
          of_callback.push_back({threads[thread].times[i], thread, i});
        }
      }
    }
  }
  for (auto & [callback, of_callback] : runs) {
    assign(of_callback, threads, result, result.count[callback]);
  }
  return result;
}

}  // namespace takt_trace::detail
