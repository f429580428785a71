#include "timeline/timeline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "flow/message_flow.hpp"
#include "saturating.hpp"
#include "timeline/process_tracks.hpp"

namespace takt_trace::detail
{
namespace
{

/// Numbers of processes and threads are below this (kernel: PID_MAX_LIMIT).
constexpr std::int64_t kNumbers = std::int64_t{1} << 22;

/// Returns a unique number, because viewers take equal numbers as one process or thread, also on
/// two hosts or at different times. The first keeps its number. `space` differs by host.
std::int64_t claim(std::set<std::int64_t> & used, std::int64_t number, std::int64_t space)
{
  std::int64_t free = (number & (kNumbers - 1)) + space * kNumbers;
  while (!used.insert(free).second) {
    free += kNumbers;
  }
  return free;
}

/// Adds an arrow from each publish to each run that took the message, each with its own number,
/// because arrows cannot fork. Omits arrows that go back in time: viewers refuse them, and they
/// only show that clocks differ.
void add_arrows(
  const std::vector<LongTrace> & processes, const std::vector<std::vector<PlacedThread>> & threads,
  Timeline & timeline)
{
  const auto find = [](const LongVector<PlacedRecord> & all, std::size_t record) {
    const auto found = std::partition_point(
      all.begin(), all.end(), [&](const PlacedRecord & one) { return one.record < record; });
    return found != all.end() && (*found).record == record ? std::optional(*found) : std::nullopt;
  };
  std::uint64_t last_arrow = 0;
  for (const auto & [publish, take] : message_flows(processes).joined) {
    const PlacedThread & from = threads[publish.process][publish.thread];
    const PlacedThread & to = threads[take.process][take.thread];
    const auto instant = find(from.events.publishes, publish.record);
    const auto run = find(to.events.takes, take.record);
    if (!instant || !run) {
      continue;
    }
    const ProcessTimeline & publisher = timeline.processes[publish.process];
    const ProcessTimeline & taker = timeline.processes[take.process];
    if (publisher.at(instant->time) < taker.at(run->time)) {
      ++last_arrow;
      timeline.arrow_begins.push_back(
        {publish.process, from.track, instant->time, instant->event, last_arrow});
      timeline.arrow_ends.push_back({take.process, to.track, run->time, run->event, last_arrow});
    }
  }
  timeline.arrow_begins.sort([](const ArrowEnd & a, const ArrowEnd & b) {
    return std::tie(a.process, a.track, a.time, a.event) <
           std::tie(b.process, b.track, b.time, b.event);
  });
  timeline.arrow_ends.sort([](const ArrowEnd & a, const ArrowEnd & b) {
    return std::tie(a.process, a.track, a.event) < std::tie(b.process, b.track, b.event);
  });
}

void sort_instants(Track & track)
{
  track.instants.sort([](const Instant & a, const Instant & b) { return a.time < b.time; });
}

/// The clocks at the earliest record.
ClockReading clocks_at_begin(const LongTrace & process, const ProcessTimeline & timeline)
{
  std::optional<std::int64_t> earliest;
  for (const LongThread & thread : process.threads) {
    for (const Record & record : thread.records) {
      earliest = std::min(earliest.value_or(record.time), record.time);
    }
  }
  const std::int64_t time = earliest.value_or(0);
  const std::int64_t realtime = saturating_add(time, process.to_realtime);
  return {timeline.at(time), static_cast<std::uint64_t>(std::max<std::int64_t>(realtime, 0))};
}

/// The names of a process's executors: "sensing, planning". Empty: none has a name.
std::string executors_of(const LongTrace & process)
{
  std::string names;
  std::set<std::string> seen{""};
  for (const LongThread & thread : process.threads) {
    if (seen.insert(thread.executor).second) {
      names += (names.empty() ? "" : ", ") + thread.executor;
    }
  }
  return names;
}

/// The file's name, with the executors if several processes of the host run this file, and with the
/// host if there are several.
std::string name_of(const LongTrace & process, const std::vector<LongTrace> & all, bool with_host)
{
  const std::string file = process.program.substr(process.program.rfind('/') + 1);
  std::string name = file.empty() ? "process " + std::to_string(process.pid) : file;
  const bool shared = std::any_of(all.begin(), all.end(), [&](const LongTrace & other) {
    return &other != &process && other.host == process.host && other.program == process.program;
  });
  if (const std::string executors = shared ? executors_of(process) : ""; !executors.empty()) {
    name += " (" + executors + ")";
  }
  return valid_utf8(with_host ? name + " on " + process.host : name);
}

}  // namespace

Timeline make_timeline(const std::vector<LongTrace> & processes)
{
  std::map<std::string, std::int64_t> hosts;
  for (const LongTrace & process : processes) {
    hosts.emplace(process.host, static_cast<std::int64_t>(hosts.size()));
  }
  Timeline timeline;
  timeline.realtime = hosts.size() > 1;
  std::vector<std::vector<PlacedThread>> threads;
  std::set<std::int64_t> pids, tids;
  for (const LongTrace & process : processes) {
    ProcessTimeline & made = timeline.processes.emplace_back();
    const std::int64_t host = hosts[process.host];
    made.pid = claim(pids, process.pid, host);
    made.name = name_of(process, processes, timeline.realtime);
    made.offset = timeline.realtime ? process.to_realtime : process.to_boottime;
    threads.push_back(add_tracks(process, made));
    for (Track & track : made.tracks) {
      if (track.type == TrackType::thread) {
        track.tid = claim(tids, track.tid, host);
      }
    }
  }
  add_arrows(processes, threads, timeline);
  for (ProcessTimeline & process : timeline.processes) {
    std::for_each(process.tracks.begin(), process.tracks.end(), sort_instants);
  }
  if (!processes.empty()) {
    timeline.clocks = clocks_at_begin(processes.front(), timeline.processes.front());
  }
  return timeline;
}

}  // namespace takt_trace::detail
