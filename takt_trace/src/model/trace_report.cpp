#include "model/trace_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "callback_ids.hpp"
#include "flow/message_flow.hpp"
#include "run_pairs.hpp"
#include "saturating.hpp"
#include "states/callback_states.hpp"
#include "takt_trace/phase_json.hpp"
#include "takt_trace/release_fit.hpp"

namespace takt_trace
{
namespace
{

using nlohmann::ordered_json;

constexpr std::array<std::size_t, 5> kSteps{1, 2, 4, 8, 16};  // of releases, for the shortest spans

/// Sums up times.
struct Times
{
  std::uint64_t count = 0;
  double sum = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;

  void add(std::int64_t time)
  {
    least = count == 0 ? time : std::min(least, time);
    most = count == 0 ? time : std::max(most, time);
    sum += static_cast<double>(time);
    ++count;
  }
};

/// The events of one callback.
struct Seen
{
  struct Release
  {
    std::int64_t time = 0;
    std::int64_t skipped = 0;
  };
  LongVector<Release> releases;
  Times times;                                      // of runs
  std::map<std::int64_t, std::uint64_t> histogram;  // of the same times, rounded up
  Times elapsed;                                    // of the same runs, from start to end
  Times beside_cpu;                // of the same runs, from the pick, without CPU time
  std::int64_t longest_sleep = 0;  // of runs that left their core voluntarily
  std::map<std::string, std::uint64_t> published;
  std::vector<std::string> topics;  // in the order of their first messages
};

/// Rounds up to three digits: a model needs no more, and an upper edge must not be below a time.
std::int64_t rounded_up(std::int64_t ns)
{
  std::int64_t unit = 1;
  while (ns / unit >= 1000) {
    unit *= 10;
  }
  return (ns + unit - 1) / unit * unit;
}

bool is_background(const std::string & id)
{
  return id.ends_with(takt_core::adapter::callback_id("", "sub", "/parameter_events"));
}

ordered_json times_json(const Times & times)
{
  if (times.count == 0) {
    return {{"mean_ns", 0.0}, {"min_ns", 0}, {"max_ns", 0}};
  }
  return {
    {"mean_ns", times.sum / static_cast<double>(times.count)},
    {"min_ns", times.least},
    {"max_ns", times.most}};
}

/// The period of a timer, from its nominal releases. A start drops the periods between its release
/// and the next one.
std::int64_t period_of(const LongVector<Seen::Release> & releases)
{
  std::int64_t shortest = 0;
  for (std::size_t i = 1; i < releases.size(); ++i) {
    const std::int64_t distance =
      (releases[i].time - releases[i - 1].time) / (releases[i - 1].skipped + 1);
    shortest = shortest == 0 ? distance : std::min(shortest, distance);
  }
  return std::max<std::int64_t>(shortest, 0);
}

/// The time of a run without work and without waits for a core. Zero if it never left its core
/// voluntarily: then the host had the core. `measured`: the kernel_wait before the run_end; it
/// counts from the pick, as the CPU time does.
std::int64_t slept_in(const Record & end, const Record & measured)
{
  if ((measured.c >> 32) <= 0 || end.a <= 0) {
    return 0;
  }
  const std::int64_t elapsed = detail::saturating_subtract(end.time, end.a);
  return std::max<std::int64_t>(
    detail::saturating_subtract(detail::saturating_subtract(elapsed, end.b), measured.b), 0);
}

/// The kernel's figures of the run that ends at `end`.
std::size_t kernel_wait_before(const LongVector<Record> & records, std::size_t end)
{
  std::size_t before = end;
  while (before > 0 && records[before - 1].kind == RecordKind::chain_end) {
    --before;
  }
  return before > 0 && records[before - 1].kind == RecordKind::kernel_wait &&
             records[before - 1].id == records[end].id
           ? before - 1
           : detail::kNoRecord;
}

/// The source of knowledge about sleeps in runs.
enum class Sleeps
{
  unknown,
  elapsed,  // the elapsed time and the CPU time of each run
  measured
};

/// From a timer's nominal releases in order. The period is their mean distance, so that errors of
/// clock readings do not add up. `shortest`: the approximate period.
ReleasePhase phase_of(const LongVector<Seen::Release> & releases, std::int64_t shortest)
{
  ReleasePhase phase;
  std::int64_t periods = 0;
  for (std::size_t i = 1; shortest > 0 && i < releases.size(); ++i) {
    periods += (releases[i].time - releases[i - 1].time + shortest / 2) / shortest;
  }
  const std::int64_t period =
    periods == 0 ? 0
                 : (releases[releases.size() - 1].time - releases[0].time + periods / 2) / periods;
  for (std::size_t i = 0; period > 0 && i < releases.size(); ++i) {
    phase.add(releases[i].time, period);
  }
  return phase;
}

ordered_json callback_json(
  const TracedCallback & callback, Seen seen, std::int64_t overwritten, Sleeps sleeps)
{
  seen.releases.sort([](const auto & a, const auto & b) { return a.time < b.time; });
  Times between;
  std::int64_t skipped = 0;
  for (std::size_t i = 0; i < seen.releases.size(); ++i) {
    skipped += seen.releases[i].skipped;
    if (i > 0) {
      between.add(seen.releases[i].time - seen.releases[i - 1].time);
    }
  }
  ordered_json spans = ordered_json::array();
  for (const std::size_t steps : kSteps) {
    if (seen.releases.size() > steps) {
      std::int64_t shortest = INT64_MAX;
      for (std::size_t i = steps; i < seen.releases.size(); ++i) {
        shortest = std::min(shortest, seen.releases[i].time - seen.releases[i - steps].time);
      }
      spans.push_back({steps, shortest});
    }
  }
  ordered_json publishes = ordered_json::array();
  for (const std::string & topic : seen.topics) {
    publishes.push_back({{"topic", topic}, {"count", seen.published[topic]}});
  }
  ReleaseSamples samples;
  for (std::size_t i = 0; i < seen.releases.size(); ++i) {
    samples.add(seen.releases[i].time);
  }
  const std::int64_t period = callback.kind == "timer" ? period_of(seen.releases) : 0;
  ordered_json json{
    {"id", callback.id},
    {"group", callback.group},
    {"exclusive_group", callback.exclusive},
    {"kind", callback.kind},
    {"background", is_background(callback.id)},
    {"topic", detail::topic_in(callback.id)},
    {"period_ns", period},
    {"phase", phase_json(phase_of(seen.releases, period))},
    {"fit", fit_json(callback.kind == "subscription" ? samples.fit() : ReleaseFit())},
    {"publishes", std::move(publishes)},
    {"between_releases", times_json(between)},
    {"shortest_spans", std::move(spans)},
    {"cpu_histogram", seen.histogram},
    {"runs", seen.times.count},
    {"cpu", times_json(seen.times)},
    {"overwritten", overwritten},
    {"skipped_periods", skipped}};
  if (sleeps == Sleeps::measured) {
    json["longest_sleep_ns"] = seen.longest_sleep;
  } else if (sleeps == Sleeps::elapsed) {
    json["elapsed"] = times_json(seen.elapsed);
    json["least_beside_cpu_ns"] = seen.beside_cpu.least;
    json["most_beside_cpu_ns"] = seen.beside_cpu.most;
  }
  return json;
}

/// By callback.
std::map<std::uint32_t, std::int64_t> overwritten_in(const LongTrace & process)
{
  std::map<std::uint32_t, std::int64_t> sums;
  for (const detail::PlacedState state : detail::callback_states(process)) {
    std::int64_t & sum = sums[state.callback];
    sum = detail::saturating_add(sum, state.newly_overwritten);
  }
  return sums;
}

/// Counts complete runs only.
std::vector<Seen> seen_in(const LongTrace & process, bool cpu, Sleeps sleeps)
{
  std::vector<Seen> all(process.callbacks.size());
  for (const LongThread & thread : process.threads) {
    const auto others = detail::pair_runs(thread.records);
    std::vector<std::uint32_t> open;
    for (std::size_t i = 0; i < thread.records.size(); ++i) {
      const Record record = thread.records[i];
      if (
        record.kind == RecordKind::publish && !open.empty() && record.id < process.topics.size()) {
        Seen & seen = all[open.back()];
        const std::string & topic = process.topics[record.id];
        if (seen.published[topic]++ == 0) {
          seen.topics.push_back(topic);
        }
      }
      const bool paired =
        (record.kind == RecordKind::run_start || record.kind == RecordKind::run_end) &&
        others[i] != detail::kNoRecord && record.id < all.size();
      if (!paired) {
        continue;
      }
      if (record.kind == RecordKind::run_start) {
        open.push_back(record.id);
        const Record end = thread.records[others[i]];
        Seen & seen = all[record.id];
        if (!cpu || end.b > 0) {
          const auto time = std::max<std::int64_t>(cpu ? end.b : end.time - record.time, 1);
          seen.times.add(time);
          ++seen.histogram[rounded_up(time)];
          seen.elapsed.add(detail::saturating_subtract(end.time, record.time));
          const std::int64_t pick = end.a > 0 ? std::min(end.a, record.time) : record.time;
          seen.beside_cpu.add(
            detail::saturating_subtract(detail::saturating_subtract(end.time, pick), end.b));
        }
        const std::size_t kernel = sleeps == Sleeps::measured
                                     ? kernel_wait_before(thread.records, others[i])
                                     : detail::kNoRecord;
        if (kernel != detail::kNoRecord) {
          seen.longest_sleep = std::max(seen.longest_sleep, slept_in(end, thread.records[kernel]));
        }
        seen.releases.push_back({record.a != 0 ? record.a : record.time, skipped_periods(record)});
      } else if (!open.empty()) {
        open.pop_back();
      }
    }
  }
  return all;
}

/// True if there are ended runs, and `has` is true for the place of each end. Omits runs that were
/// picked before the recording began, because measurement begins with the pick.
template <typename Has>
bool every_run(const std::vector<LongTrace> & processes, const Has & has)
{
  bool any = false;
  for (const LongTrace & process : processes) {
    for (const LongThread & thread : process.threads) {
      const auto others = detail::pair_runs(thread.records);
      for (std::size_t i = 0; i < thread.records.size(); ++i) {
        const Record end = thread.records[i];
        if (
          end.kind == RecordKind::run_end && others[i] != detail::kNoRecord &&
          end.a >= process.began) {
          if (!has(thread.records, i)) {
            return false;
          }
          any = true;
        }
      }
    }
  }
  return any;
}

}  // namespace

bool has_cpu_times(const std::vector<LongTrace> & processes)
{
  return every_run(processes, [](const LongVector<Record> & records, std::size_t end) {
    return records[end].b > 0;
  });
}

bool has_kernel_waits(const std::vector<LongTrace> & processes)
{
  return every_run(processes, [](const LongVector<Record> & records, std::size_t end) {
    return kernel_wait_before(records, end) != detail::kNoRecord;
  });
}

ordered_json trace_report(const std::vector<LongTrace> & processes)
{
  const bool cpu = has_cpu_times(processes);
  const Sleeps sleeps = !cpu                          ? Sleeps::unknown
                        : has_kernel_waits(processes) ? Sleeps::measured
                                                      : Sleeps::elapsed;
  ordered_json executors = ordered_json::array();
  for (const LongTrace & process : processes) {
    std::int64_t last = process.ended;
    for (const LongThread & thread : process.threads) {
      for (const Record & record : thread.records) {
        last = std::max(last, record.time);
      }
    }
    const double seconds =
      static_cast<double>(std::max<std::int64_t>(last - process.began, 1)) / 1e9;
    std::vector<Seen> seen = seen_in(process, cpu, sleeps);
    const auto overwritten = overwritten_in(process);
    std::vector<std::string> names;
    for (const TracedCallback & callback : process.callbacks) {
      if (std::find(names.begin(), names.end(), callback.executor) == names.end()) {
        names.push_back(callback.executor);
      }
    }
    for (const std::string & name : names) {
      ordered_json callbacks = ordered_json::array();
      for (std::size_t i = 0; i < process.callbacks.size(); ++i) {
        if (process.callbacks[i].executor == name) {
          const auto lost = overwritten.find(static_cast<std::uint32_t>(i));
          callbacks.push_back(callback_json(
            process.callbacks[i], std::move(seen[i]), lost == overwritten.end() ? 0 : lost->second,
            sleeps));
        }
      }
      executors.push_back(
        {{"pid", process.pid},
         {"executor", name},
         {"kind", "traced"},
         {"seconds", seconds},
         {"callbacks", std::move(callbacks)}});
    }
  }
  return {{"version", 1}, {"executors", std::move(executors)}};
}

std::string impossible_time(const std::vector<LongTrace> & processes)
{
  constexpr std::int64_t kMost = std::int64_t{10} * 365 * 24 * 3600 * 1'000'000'000;  // ten years
  for (const LongTrace & process : processes) {
    for (const LongThread & thread : process.threads) {
      for (const Record & record : thread.records) {
        std::array<std::int64_t, 3> times{record.time, 0, 0};
        if (record.kind == RecordKind::run_start) {
          times[1] = record.a;
        } else if (record.kind == RecordKind::run_end) {
          times[1] = record.a;
          times[2] = record.b;
        }
        const bool impossible = std::any_of(times.begin(), times.end(), [&](std::int64_t time) {
          return time > kMost || time < -kMost;
        });
        if (impossible) {
          return "process " + std::to_string(process.pid) + " has a record with the time " +
                 std::to_string(times[0]) +
                 " ns or one that belongs to it, which is more than ten years from the start of "
                 "its "
                 "machine: the file is damaged";
        }
      }
    }
  }
  return {};
}

std::optional<takt_rt::Duration> longest_under_way(const std::vector<LongTrace> & processes)
{
  std::optional<takt_rt::Duration> longest;
  const MessageFlows flows = message_flows(processes);
  for (const MessageFlow flow : flows.joined) {
    const LongTrace & from = processes[flow.publish.process];
    const LongTrace & to = processes[flow.take.process];
    if (flow.publish.process == flow.take.process || from.host != to.host) {
      continue;
    }
    const auto & records = to.threads[flow.take.thread].records;
    const auto start = std::find_if(
      records.begin() + static_cast<std::ptrdiff_t>(flow.take.record), records.end(),
      [](const Record & record) { return record.kind == RecordKind::run_start; });
    if (start == records.end() || (*start).a == 0) {
      continue;
    }
    const std::int64_t sent = from.threads[flow.publish.thread].records[flow.publish.record].time;
    const takt_rt::Duration under_way((*start).a - sent);
    if (under_way.count() > 0 && (!longest || under_way > *longest)) {
      longest = under_way;
    }
  }
  return longest;
}

ordered_json trace_report(const std::vector<ProcessTrace> & processes)
{
  return trace_report(borrowed(processes));
}

std::string impossible_time(const std::vector<ProcessTrace> & processes)
{
  return impossible_time(borrowed(processes));
}

bool has_cpu_times(const std::vector<ProcessTrace> & processes)
{
  return has_cpu_times(borrowed(processes));
}

bool has_kernel_waits(const std::vector<ProcessTrace> & processes)
{
  return has_kernel_waits(borrowed(processes));
}

std::optional<takt_rt::Duration> longest_under_way(const std::vector<ProcessTrace> & processes)
{
  return longest_under_way(borrowed(processes));
}

}  // namespace takt_trace
