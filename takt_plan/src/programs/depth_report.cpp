#include "depth_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "table.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::program
{
namespace
{

using takt_schedule::System;

const takt_schedule::CallbackModel & callback_of(const System & system, const HistoryDepth & depth)
{
  return system.callbacks[depth.task];
}

// A callback that waits for a set of messages has a subscription for each topic of the set.
const std::string & id_of(const System & system, const HistoryDepth & depth)
{
  const takt_schedule::CallbackModel & callback = callback_of(system, depth);
  return callback.ids.empty() || depth.topic == kNone ? callback.id : callback.ids[depth.topic];
}

// Empty: the messages come from outside the model.
std::string topic_of(const System & system, const HistoryDepth & depth)
{
  const takt_schedule::CallbackModel & callback = callback_of(system, depth);
  const auto & topics = callback.is_timer() ? callback.reads : callback.triggers;
  return depth.topic == kNone ? "" : topics[depth.topic];
}

}  // namespace

bool too_small(const System & system, const HistoryDepth & depth)
{
  return depth.needed && *depth.needed > callback_of(system, depth).depth;
}

std::vector<std::string> assumed_depths(const System & system, const Model & model)
{
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> ids;
  for (Index i = 0; i < system.callbacks.size(); ++i) {
    if (model.tasks[i].input && !system.callbacks[i].depth_known) {
      ids.push_back(system.callbacks[i].id);
    }
  }
  if (ids.empty()) {
    return {};
  }
  const std::size_t named = std::min(ids.size(), kMostNamed);
  return {fmt::format(
    "{}{} {} not trigger, and the model does not say the depth of {}: takt assumes {} messages, "
    "ROS 2's "
    "default, and bounds count as many; takt model writes the depth of a running program",
    fmt::join(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(named), ", "),
    ids.size() > named ? fmt::format(" and {} more", ids.size() - named) : "",
    ids.size() == 1 ? "does" : "do", ids.size() == 1 ? "its history" : "their histories",
    takt_schedule::CallbackModel().depth)};
}

std::vector<std::string> depth_warnings(
  const System & system, const std::vector<HistoryDepth> & depths)
{
  std::vector<std::string> warnings;
  for (const HistoryDepth & depth : depths) {
    if (!too_small(system, depth)) {
      continue;
    }
    const takt_schedule::CallbackModel & callback = callback_of(system, depth);
    const std::string topic = topic_of(system, depth);
    warnings.push_back(to_string(takt_schedule::located(
      system.file, callback.source,
      fmt::format(
        "{} keeps {} {} {} (depth), but {} may wait: some may be overwritten, and bounds assume "
        "that "
        "none is; set depth to {} or more",
        takt_schedule::quoted(id_of(system, depth)), callback.depth,
        callback.depth == 1 ? "message" : "messages",
        topic.empty() ? "from outside of the model" : "of " + takt_schedule::quoted(topic),
        *depth.needed, *depth.needed))));
  }
  return warnings;
}

std::string depth_table(const System & system, const std::vector<HistoryDepth> & depths)
{
  std::vector<Row> rows{{"callback", "topic", "depth", "needed"}};
  for (const HistoryDepth & depth : depths) {
    const std::string topic = topic_of(system, depth);
    rows.push_back(
      {id_of(system, depth), topic.empty() ? "(from outside)" : topic,
       fmt::to_string(callback_of(system, depth).depth),
       depth.needed ? fmt::to_string(*depth.needed)
                    : "unknown: " + to_string(depth.needed.faults().front())});
  }
  return table(rows);
}

nlohmann::json depths_as_json(const System & system, const std::vector<HistoryDepth> & depths)
{
  using nlohmann::json;
  auto all = json::array();
  for (const HistoryDepth & depth : depths) {
    const std::string topic = topic_of(system, depth);
    all.push_back(
      {{"callback", id_of(system, depth)},
       {"topic", topic.empty() ? json() : json(topic)},
       {"depth", callback_of(system, depth).depth},
       {"needed", depth.needed ? json(*depth.needed) : json()},
       {"why", depth.needed ? json() : json(to_string(depth.needed.faults().front()))}});
  }
  return all;
}

}  // namespace takt_plan::program
