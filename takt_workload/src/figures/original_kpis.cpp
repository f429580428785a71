#include "figures/original_kpis.hpp"

#include <map>

#include "figures/results.hpp"

namespace takt_workload
{

using nlohmann::json;

json original_kpis_json(
  const Graph & graph, const std::vector<ProcessRecord> & processes, const Analysis & analysis)
{
  const CallbackTable table(graph);
  std::vector<std::int64_t> hot;
  std::vector<std::int64_t> drops;
  std::vector<std::int64_t> periods;
  std::map<std::string, std::vector<std::int64_t>> latencies;
  for (const ProcessRecord & process : processes) {
    std::map<std::uint32_t, const OriginalSample *> previous;  // by command
    for (const OriginalSample & sample : process.originals) {
      const OriginalSample * const before = previous[sample.callback];
      previous[sample.callback] = &sample;
      if (sample.at < analysis.measured_from || sample.at >= analysis.measured_to) {
        continue;
      }
      const CallbackEntry & command = table.callbacks()[sample.callback];
      latencies[graph.nodes[command.node].name].push_back(sample.oldest.count());
      if (sample.has_hot_path) {
        hot.push_back(sample.hot_path.count());
        drops.push_back(static_cast<std::int64_t>(sample.hot_path_drops));
      }
      if (
        before != nullptr && before->planner_sequence != 0 &&
        sample.planner_sequence > before->planner_sequence) {
        periods.push_back(
          (sample.planner_start - before->planner_start).count() /
          (sample.planner_sequence - before->planner_sequence));
      }
    }
  }
  json result = json::object();
  if (latencies.empty()) {
    return result;
  }
  for (const auto & [node, samples] : latencies) {
    result["latency"][node] = to_json(summarise(samples));
  }
  result["hot_path"] = to_json(summarise(hot));
  result["hot_path_drops"] = to_json(summarise(drops));
  result["planner_period"] = to_json(summarise(periods));
  return result;
}

}  // namespace takt_workload
