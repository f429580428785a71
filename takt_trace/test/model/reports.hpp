// Reports as adopted executors write them (src/adopt/report.cpp), for tests of the code that reads
// them.
#ifndef MODEL__REPORTS_HPP_
#define MODEL__REPORTS_HPP_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace takt_trace::test
{

using nlohmann::ordered_json;

constexpr std::int64_t kMs = 1'000'000;

inline ordered_json times(std::int64_t mean, std::int64_t min, std::int64_t max)
{
  return {{"mean_ns", static_cast<double>(mean)}, {"min_ns", min}, {"max_ns", max}};
}

/// A callback with `runs` runs of 1 ms each, 100 ms apart. Its group is the default group of its
/// node.
inline ordered_json callback(const std::string & id, std::uint64_t runs)
{
  return {
    {"id", id},
    {"group", id.substr(0, id.find(':')) + ":group(default)"},
    {"exclusive_group", true},
    {"kind", "waitable"},
    {"background", false},
    {"topic", ""},
    {"period_ns", 0},
    {"publishes", ordered_json::array()},
    {"depth", 0},
    {"within_process", false},
    {"between_releases", times(100 * kMs, 100 * kMs, 100 * kMs)},
    {"shortest_spans", ordered_json::array()},
    {"cpu_histogram", ordered_json::array({{kMs, runs}})},
    {"runs", runs},
    {"rate_hz", 10.0},
    {"cpu", times(kMs, kMs, kMs)},
    {"take_cpu", times(0, 0, 0)},
    {"elapsed", times(kMs, kMs, kMs)},
    {"waited", times(0, 0, 0)},
    {"overwritten", 0},
    {"skipped_periods", 0},
    {"empty_takes", 0},
    {"exceptions", 0}};
}

/// A timer with a period of 100 ms.
inline ordered_json timer(const std::string & node, std::uint64_t runs)
{
  ordered_json one = callback(node + ":timer(100ms)", runs);
  one["period_ns"] = 100 * kMs;
  return one;
}

inline ordered_json subscription(
  const std::string & node, const std::string & topic, std::uint64_t runs)
{
  ordered_json one = callback(node + ":sub(" + topic + ")", runs);
  one["topic"] = topic;
  one["depth"] = 10;
  return one;
}

inline ordered_json publishing(ordered_json one, const std::string & topic, std::uint64_t count)
{
  one["publishes"].push_back({{"topic", topic}, {"count", count}});
  return one;
}

/// The same report with another value for `key`.
inline ordered_json with(ordered_json one, const char * key, ordered_json value)
{
  one[key] = std::move(value);
  return one;
}

/// A timer whose releases begin at `first` and deviate from whole periods by `early` to `late`.
inline ordered_json phased(
  ordered_json timer, std::int64_t first, std::int64_t early = 0, std::int64_t late = 0)
{
  const std::uint64_t runs = timer["runs"];
  const auto after = static_cast<std::int64_t>(runs - 1) * timer["period_ns"].get<std::int64_t>();
  timer["phase"] = {
    {"releases", runs},
    {"first_ns", first},
    {"last_ns", first + after},
    {"early_ns", early},
    {"late_ns", late}};
  return timer;
}

/// Sets `mean`, and the shortest spans between a callback's releases.
inline ordered_json released(
  ordered_json one, std::int64_t mean, const std::vector<std::pair<int, std::int64_t>> & spans)
{
  const std::int64_t shortest = spans.empty() ? mean : spans.front().second;
  one["between_releases"] = times(mean, shortest, mean);
  one["shortest_spans"] = spans;
  return one;
}

inline ordered_json executor(
  int process, const std::string & first_node, std::vector<ordered_json> callbacks,
  double seconds = 10)
{
  return {
    {"version", 1},
    {"pid", process},
    {"program", "/opt/robot/lib/talker"},
    {"executor", first_node},
    {"kind", "multi_threaded"},
    {"schedule_executor", ""},
    {"start_up_ms", 1.0},
    {"seconds", seconds},
    {"threads", ordered_json::array()},
    {"callbacks", std::move(callbacks)},
    {"refused", ordered_json::array()},
    {"warnings", ordered_json::array()},
    {"defaulted", ordered_json::array()}};
}

inline ordered_json stock(int process, const std::string & loop, const std::string & reason = "")
{
  return {
    {"version", 1},
    {"pid", process},
    {"program", "/opt/robot/lib/talker"},
    {"stock", loop},
    {"reason", reason}};
}

/// The form that `join_reports` returns.
inline ordered_json joined(std::vector<ordered_json> executors)
{
  return {{"version", 1}, {"executors", std::move(executors)}, {"stock", ordered_json::array()}};
}

}  // namespace takt_trace::test

#endif  // MODEL__REPORTS_HPP_
