#include "exec/summed_executors.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "takt_trace/phase_json.hpp"

namespace takt_exec
{
namespace
{

using nlohmann::ordered_json;

void add_number(ordered_json & sum, const ordered_json & more, const char * key)
{
  if (more.contains(key)) {
    sum[key] = sum.value(key, std::uint64_t{0}) + more.at(key).get<std::uint64_t>();
  }
}

// Adds times: means are weighted by `count` and `more_count`, the numbers of samples.
void add_times(ordered_json & sum, double count, const ordered_json & more, double more_count)
{
  if (more_count <= 0) {
    return;
  }
  if (count <= 0) {
    sum = more;
    return;
  }
  sum["mean_ns"] =
    (sum["mean_ns"].get<double>() * count + more.at("mean_ns").get<double>() * more_count) /
    (count + more_count);
  if (sum.contains("min_ns")) {
    sum["min_ns"] =
      std::min(sum["min_ns"].get<std::int64_t>(), more.at("min_ns").get<std::int64_t>());
  }
  sum["max_ns"] =
    std::max(sum["max_ns"].get<std::int64_t>(), more.at("max_ns").get<std::int64_t>());
}

// Adds lists of pairs of a key and a number: numbers of the same key are joined.
template <typename Join>
void join_pairs(ordered_json & sum, const ordered_json & more, const Join & join)
{
  std::map<std::int64_t, std::int64_t> pairs;
  for (const auto * const list : {&std::as_const(sum), &more}) {
    for (const auto & pair : *list) {
      const auto [known, fresh] = pairs.emplace(pair.at(0), pair.at(1));
      if (!fresh) {
        known->second = join(known->second, pair.at(1).template get<std::int64_t>());
      }
    }
  }
  sum = ordered_json::array();
  for (const auto & [key, value] : pairs) {
    sum.push_back({key, value});
  }
}

void join_topics(ordered_json & sum, const ordered_json & more)
{
  for (const auto & one : more) {
    const auto known = std::find_if(sum.begin(), sum.end(), [&](const auto & topic) {
      return topic.at("topic") == one.at("topic");
    });
    if (known == sum.end()) {
      sum.push_back(one);
    } else {
      add_number(*known, one, "count");
    }
  }
}

// Shifts the releases of the later spin to the timer's grid in the earlier spin.
void add_phase(ordered_json & sum, const ordered_json & more, std::int64_t period)
{
  if (period <= 0) {
    return;
  }
  auto phase = takt_trace::read_phase(sum);
  phase.add(takt_trace::read_phase(more), period);
  sum = takt_trace::phase_json(phase);
}

void join_waits(ordered_json & sum, const ordered_json & more)
{
  for (const auto & one : more) {
    const auto known = std::find_if(sum.begin(), sum.end(), [&](const auto & wait) {
      return wait.at("service") == one.at("service") && wait.at("client") == one.at("client");
    });
    if (known == sum.end()) {
      sum.push_back(one);
      continue;
    }
    add_number(*known, one, "count");
    for (const char * const key : {"most", "longest_ns"}) {
      (*known)[key] =
        std::max((*known)[key].get<std::int64_t>(), one.at(key).template get<std::int64_t>());
    }
  }
}

void add_callback(ordered_json & sum, const ordered_json & more)
{
  const double runs = sum["runs"].get<double>();
  const double more_runs = more.at("runs").get<double>();
  for (const char * const key : {"cpu", "take_cpu", "elapsed", "waited"}) {
    add_times(sum[key], runs, more.at(key), more_runs);
  }
  // There is one interval less than runs. The time between two spins is not an interval.
  add_times(
    sum["between_releases"], std::max(runs - 1, 0.0), more.at("between_releases"),
    std::max(more_runs - 1, 0.0));
  join_pairs(sum["shortest_spans"], more.at("shortest_spans"), [](auto a, auto b) {
    return std::min(a, b);
  });
  join_pairs(sum["cpu_histogram"], more.at("cpu_histogram"), [](auto a, auto b) { return a + b; });
  join_topics(sum["publishes"], more.at("publishes"));
  if (sum.contains("phase") && more.contains("phase")) {
    add_phase(sum["phase"], more.at("phase"), sum["period_ns"].get<std::int64_t>());
  }
  if (more.contains("waits_for")) {
    join_waits(sum["waits_for"], more.at("waits_for"));
  }
  if (more.contains("arrival_spans")) {
    join_pairs(sum["arrival_spans"], more.at("arrival_spans"), [](auto a, auto b) {
      return std::min(a, b);
    });
  }
  for (const char * const key :
       {"runs", "publishing_runs", "published_last", "overwritten", "lost", "arrivals",
        "skipped_periods", "empty_takes", "exceptions"}) {
    add_number(sum, more, key);
  }
  if (more.contains("waiting")) {
    sum["waiting"] = more.at("waiting");  // of the last spin
  }
  if (more.contains("message_bytes")) {
    sum["message_bytes"] = std::max(
      sum.value("message_bytes", std::uint64_t{0}), more.at("message_bytes").get<std::uint64_t>());
  }
  if (more.contains("longest_sleep_ns")) {
    sum["longest_sleep_ns"] = std::max(
      sum.value("longest_sleep_ns", std::int64_t{0}),
      more.at("longest_sleep_ns").get<std::int64_t>());
  }
}

void add_chain(ordered_json & sum, const ordered_json & more)
{
  if (!more.contains("response")) {
    return;
  }
  if (!sum.contains("response")) {
    sum = more;
    return;
  }
  add_times(
    sum["response"], sum["activations"].get<double>(), more.at("response"),
    more.at("activations").get<double>());
  sum["response"]["p50_ns"] = nullptr;
  sum["response"]["p99_ns"] = nullptr;
  add_number(sum, more, "activations");
  if (sum.contains("late") && more.contains("late")) {
    add_number(sum, more, "late");
  }
}

template <typename Add>
void add_all(ordered_json & sum, const ordered_json & more, const char * name, const Add & add)
{
  for (const auto & one : more) {
    const auto known = std::find_if(
      sum.begin(), sum.end(), [&](const auto & there) { return there.at(name) == one.at(name); });
    if (known == sum.end()) {
      sum.push_back(one);
    } else {
      add(*known, one);
    }
  }
}

void add_new(ordered_json & sum, const ordered_json & more)
{
  for (const auto & one : more) {
    if (std::find(sum.begin(), sum.end(), one) == sum.end()) {
      sum.push_back(one);
    }
  }
}

bool are_one_executor(const ordered_json & a, const ordered_json & b)
{
  constexpr std::array kSame{"pid", "executor", "kind", "schedule_executor"};
  return std::all_of(
    kSame.begin(), kSame.end(), [&](const char * key) { return a.at(key) == b.at(key); });
}

}  // namespace

void add_spin(ordered_json & executors, ordered_json report)
{
  const auto known = std::find_if(executors.begin(), executors.end(), [&](const auto & one) {
    return are_one_executor(one, report);
  });
  if (known == executors.end()) {
    report["spins"] = 1;
    executors.push_back(std::move(report));
    return;
  }
  ordered_json & sum = *known;
  sum["spins"] = sum["spins"].get<int>() + 1;
  sum["seconds"] = sum["seconds"].get<double>() + report.at("seconds").get<double>();
  sum["threads"] = report.at("threads");
  add_all(sum["callbacks"], report.at("callbacks"), "id", add_callback);
  const double seconds = sum["seconds"];
  for (auto & callback : sum["callbacks"]) {
    callback["rate_hz"] = seconds > 0 ? callback["runs"].get<double>() / seconds : 0.0;
  }
  if (report.contains("chains")) {
    if (!sum.contains("chains")) {
      sum["chains"] = ordered_json::array();
    }
    add_all(sum["chains"], report.at("chains"), "name", add_chain);
  }
  // The phases of a report cover all spins so far.
  if (report.contains("phases")) {
    sum["phases"] = report.at("phases");
  }
  for (const char * const key : {"refused", "warnings", "defaulted"}) {
    add_new(sum[key], report.value(key, ordered_json::array()));
  }
}

}  // namespace takt_exec
