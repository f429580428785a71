#include "depth_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "table.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::program
{
namespace
{

const takt_schedule::CallbackModel & callback_of(const Plan & plan, const HistoryDepth & depth)
{
  return plan.system.callbacks[depth.task];
}

// Empty: from outside of the model.
std::string topic_of(const Plan & plan, const HistoryDepth & depth)
{
  return depth.topic == kNone ? "" : callback_of(plan, depth).triggers[depth.topic];
}

bool too_small(const Plan & plan, const HistoryDepth & depth)
{
  return depth.needed && *depth.needed > callback_of(plan, depth).depth;
}

}  // namespace

std::vector<std::string> depth_warnings(const Plan & plan, const std::vector<HistoryDepth> & depths)
{
  std::vector<std::string> warnings;
  for (const HistoryDepth & depth : depths) {
    if (!too_small(plan, depth)) {
      continue;
    }
    const takt_schedule::CallbackModel & callback = callback_of(plan, depth);
    const std::string topic = topic_of(plan, depth);
    warnings.push_back(takt_schedule::located(
      plan.system.file, callback.source,
      fmt::format(
        "{} keeps {} {} {} (depth), but {} may wait: some may be overwritten, and bounds assume "
        "that "
        "none is; set depth to {} or more",
        takt_schedule::quoted(callback.id), callback.depth,
        callback.depth == 1 ? "message" : "messages",
        topic.empty() ? "from outside of the model" : "of " + takt_schedule::quoted(topic),
        *depth.needed, *depth.needed)));
  }
  return warnings;
}

std::string depth_table(const Plan & plan, const std::vector<HistoryDepth> & depths)
{
  std::vector<Row> rows{{"callback", "topic", "depth", "needed"}};
  for (const HistoryDepth & depth : depths) {
    const std::string topic = topic_of(plan, depth);
    rows.push_back(
      {callback_of(plan, depth).id, topic.empty() ? "(from outside)" : topic,
       fmt::to_string(callback_of(plan, depth).depth),
       depth.needed ? fmt::to_string(*depth.needed) : "unknown: " + depth.needed.faults().front()});
  }
  return table(rows);
}

nlohmann::json depths_as_json(const Plan & plan, const std::vector<HistoryDepth> & depths)
{
  using nlohmann::json;
  auto all = json::array();
  for (const HistoryDepth & depth : depths) {
    const std::string topic = topic_of(plan, depth);
    all.push_back(
      {{"callback", callback_of(plan, depth).id},
       {"topic", topic.empty() ? json() : json(topic)},
       {"depth", callback_of(plan, depth).depth},
       {"needed", depth.needed ? json(*depth.needed) : json()},
       {"why", depth.needed ? json() : json(depth.needed.faults().front())}});
  }
  return all;
}

}  // namespace takt_plan::program
