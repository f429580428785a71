#include "graph/graph_reader.hpp"

namespace takt_workload
{

using takt_rt::Duration;

std::optional<WorkTime> read_work(
  MapReader & map, const std::string & key, const std::string & owner, Findings & findings)
{
  const YamlNode * const node = map.find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  if (!node->is_map()) {
    std::optional<Duration> value;
    map.duration(key, false, value);
    return value ? std::optional(WorkTime::constant(*value)) : std::nullopt;
  }
  MapReader own(findings, *node, key + " of " + owner, {"min", "max", "mean", "deviation"});
  std::optional<Duration> shortest;
  std::optional<Duration> longest;
  std::optional<Duration> mean;
  std::optional<Duration> deviation;
  if (own.require("min", "1ms")) {
    own.duration("min", false, shortest);
  }
  if (own.require("max", "3ms")) {
    own.duration("max", false, longest);
  }
  own.duration("mean", false, mean);
  if (mean) {
    own.require("deviation", "500us");
  }
  own.duration("deviation", false, deviation);
  if (deviation && !own.has("mean")) {
    findings.fault(
      own.value_at("deviation"),
      "the deviation of " + key + " needs its mean; without both the " + key + " is uniform");
    return std::nullopt;
  }
  if (!shortest || !longest) {
    return std::nullopt;
  }
  if (*shortest > *longest || (mean && (*mean < *shortest || *mean > *longest))) {
    findings.fault(node->at, key + " of " + owner + " must be min <= mean <= max");
    return std::nullopt;
  }
  if (mean && deviation) {
    return WorkTime::normal(*mean, *deviation, *shortest, *longest);
  }
  return mean ? std::nullopt : std::optional(WorkTime::uniform(*shortest, *longest));
}

}  // namespace takt_workload
