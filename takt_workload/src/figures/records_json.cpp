#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "figures/figures.hpp"
#include "figures/results.hpp"
#include "graph/callback_table.hpp"

namespace takt_workload
{

using nlohmann::json;
using takt_rt::to_ns;

std::string records_json(const Graph & graph, const std::vector<ProcessRecord> & processes)
{
  const CallbackTable table(graph);
  json ids = json::array();
  for (const CallbackEntry & callback : table.callbacks()) {
    ids.push_back(callback.id);
  }
  const takt_rt::Time epoch = processes.front().epoch;
  json timers = json::array();
  for (const ProcessRecord & process : processes) {
    for (const TimerRecord & timer : process.timers) {
      timers.push_back({{"callback", timer.callback}, {"next_ns", (timer.next - epoch).count()}});
    }
  }
  json head = {
    {"version", kRecordsVersion},
    {"graph", graph.name},
    {"epoch_ns", to_ns(epoch)},
    {"callbacks", ids},
    {"timers", timers},
    {"columns",
     {"callback", "process", "thread", "skipped", "release_ns", "start_ns", "end_ns",
      "work_asked_ns", "work_cpu_ns", "taken", "published", "foreign"}}};
  // Writes rows as text: a tree of JSON values would take ten times the memory.
  std::string text = head.dump();
  text.back() = ',';
  text += "\n\"runs\":[";
  bool first = true;
  for (const RunRecord & r : runs_of(graph, processes)) {
    fmt::format_to(
      std::back_inserter(text), "{}\n[{},{},{},{},{},{},{},{},{},{},{},{}]", first ? "" : ",",
      r.callback, r.process, r.thread, r.skipped, (r.release - epoch).count(),
      (r.start - epoch).count(), (r.end - epoch).count(), r.work_asked.count(), r.work_cpu.count(),
      r.taken, r.published, r.foreign ? 1 : 0);
    first = false;
  }
  return text + "\n]}\n";
}

}  // namespace takt_workload
