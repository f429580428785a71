#include "report/parts_json.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "flow/clocks.hpp"
#include "report/distribution.hpp"
#include "saturating.hpp"
#include "takt_rt/json_values.hpp"
#include "timeline/thread_events.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::ordered_json;
using takt_rt::or_null;

/// Figures from the runs of one callback. Execution and start delay count from and to the pick, as
/// in statistics.
struct Times
{
  LongVector<std::int64_t> execution, start_delay, response, cpu;

  void add(const Record & start, const Record & end)
  {
    const std::int64_t picked = end.a != 0 ? end.a : start.time;
    execution.push_back(saturating_subtract(end.time, picked));
    if (start.a != 0) {
      start_delay.push_back(saturating_subtract(picked, start.a));
      response.push_back(saturating_subtract(end.time, start.a));
    }
    if (end.b > 0) {
      cpu.push_back(end.b);
    }
  }
};

}  // namespace

ordered_json hosts_json(const std::vector<LongTrace> & processes)
{
  ordered_json list = ordered_json::array();
  for (const HostClock & host : host_clocks(processes)) {
    list.push_back(
      {{"name", host.name},
       {"clock_uncertainty_ns", or_null<ordered_json>(host.uncertainty)},
       {"synchronised", or_null<ordered_json>(host.synchronised)}});
  }
  return list;
}

ordered_json processes_json(const std::vector<LongTrace> & processes)
{
  ordered_json list = ordered_json::array();
  for (const LongTrace & process : processes) {
    std::size_t records = 0;
    std::uint64_t dropped = 0;
    for (const LongThread & thread : process.threads) {
      records += thread.records.size();
      dropped += thread.dropped;
    }
    list.push_back(
      {{"pid", process.pid},
       {"program", process.program},
       {"host", process.host},
       {"threads", process.threads.size()},
       {"records", records},
       {"dropped", dropped}});
  }
  return list;
}

ordered_json callbacks_json(const RunIndex & index)
{
  std::map<std::pair<std::size_t, std::uint32_t>, Times> times;  // by process and callback
  for (const TracedRun run : index.runs()) {
    const Record start = index.start_of(run);
    if (start.id < index.processes()[run.process].callbacks.size()) {
      times[{run.process, start.id}].add(start, index.end_of(run));
    }
  }
  ordered_json list = ordered_json::array();
  for (auto & [place, own] : times) {
    const LongTrace & process = index.processes()[place.first];
    const TracedCallback & callback = process.callbacks[place.second];
    list.push_back(
      {{"id", callback.id},
       {"executor", callback.executor},
       {"pid", process.pid},
       {"count", own.execution.size()},
       {"execution", distribution_json(std::move(own.execution))},
       {"start_delay", distribution_json(std::move(own.start_delay))},
       {"response", distribution_json(std::move(own.response))},
       {"cpu", own.cpu.empty() ? ordered_json(nullptr) : distribution_json(std::move(own.cpu))}});
  }
  return list;
}

ordered_json slices_json(const std::vector<LongTrace> & processes)
{
  ordered_json list = ordered_json::array();
  for (const LongTrace & process : processes) {
    Texts texts;
    std::map<std::uint32_t, LongVector<std::int64_t>> times;  // by name
    const auto add = [&](const LongVector<Slice> & slices) {
      for (const Slice slice : slices) {
        if (slice.category == Category::span && !slice.facts.has(Fact::cut)) {
          times[slice.name.number].push_back(saturating_subtract(slice.end, slice.begin));
        }
      }
    };
    for (const LongThread & thread : process.threads) {
      const auto none_is_closed = std::numeric_limits<std::int64_t>::min();
      const ThreadEvents events = thread_events(process, thread, none_is_closed, texts);
      add(events.slices);
      add(events.told);
    }
    for (auto & [name, durations] : times) {
      list.push_back(
        {{"name", texts.all()[name]},
         {"pid", process.pid},
         {"duration", distribution_json(std::move(durations))}});
    }
  }
  return list;
}

ordered_json threads_json(const RunIndex & index)
{
  struct Busy
  {
    std::size_t runs = 0;
    std::int64_t time = 0;
    std::int64_t until = std::numeric_limits<std::int64_t>::min();
  };
  std::map<std::pair<std::size_t, std::size_t>, Busy> threads;
  // By start, so that a run inside of another one adds nothing.
  for (const TracedRun run : index.runs()) {
    Busy & busy = threads[{run.process, run.thread}];
    const Record end = index.end_of(run);
    const std::int64_t picked = end.a != 0 ? end.a : index.start_of(run).time;
    const std::int64_t from = std::max(picked, busy.until);
    ++busy.runs;
    if (end.time > from) {
      busy.time = saturating_add(busy.time, saturating_subtract(end.time, from));
    }
    busy.until = std::max(busy.until, end.time);
  }
  ordered_json list = ordered_json::array();
  for (std::size_t process = 0; process < index.processes().size(); ++process) {
    const LongTrace & own = index.processes()[process];
    for (std::size_t thread = 0; thread < own.threads.size(); ++thread) {
      const Busy busy = threads[{process, thread}];
      list.push_back(
        {{"pid", own.pid},
         {"tid", own.threads[thread].tid},
         {"name", own.threads[thread].name},
         {"executor", own.threads[thread].executor},
         {"runs", busy.runs},
         {"busy_ns", busy.time}});
    }
  }
  return list;
}

}  // namespace takt_trace::detail
