#include "schedule/read_executor.hpp"

#include <algorithm>
#include <cctype>

#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_core::MiddlewareCeiling;

void read_ceiling(MapReader & map, Findings & findings, MiddlewareCeiling & ceiling)
{
  const auto word = map.scalar("middleware_ceiling", "auto, off or a priority from 1 to 99");
  if (!word) {
    return;
  }
  using Mode = MiddlewareCeiling::Mode;
  if (const auto mode = takt_core::from_string<Mode>(word->text)) {
    ceiling = {*mode, 0};
    return;
  }
  if (word->text.empty() || std::isdigit(static_cast<unsigned char>(word->text.front())) == 0) {
    std::vector<std::string> known;
    for (const auto & [mode, name] : takt_core::names<Mode>()) {
      known.emplace_back(name);
    }
    known.emplace_back("1 to 99");
    findings.fault(
      word->at, "middleware_ceiling cannot be " + quoted(word->text) +
                  suggestion(word->text, known, "choices"));
    return;
  }
  ceiling.mode = MiddlewareCeiling::Mode::fixed;
  map.integer("middleware_ceiling", 1, 99, ceiling.priority);
}

/// A thread above the ceiling would still wait for a thread that was preempted at the ceiling.
void check_ceiling(const MapReader & map, Findings & findings, const ExecutorSchedule & executor)
{
  const MiddlewareCeiling & ceiling = executor.middleware_ceiling;
  if (ceiling.mode != MiddlewareCeiling::Mode::fixed || ceiling.priority == 0) {
    return;
  }
  const Threads * highest = nullptr;
  for (const Threads & threads : executor.threads) {
    if (highest == nullptr || threads.attributes.priority > highest->attributes.priority) {
      highest = &threads;
    }
  }
  if (highest != nullptr && highest->attributes.priority > ceiling.priority) {
    const std::string priority = std::to_string(highest->attributes.priority);
    findings.fault(
      map.find("middleware_ceiling")->at,
      "middleware_ceiling " + std::to_string(ceiling.priority) + " is below priority " + priority +
        " of threads " + quoted(highest->name) + "; use auto, or at least " + priority);
  }
}

}  // namespace

bool can_name(std::string_view name, std::string_view more)
{
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
           more.find(c) != std::string_view::npos;
  });
}

void check_name(
  std::string_view name, std::string_view what, std::string_view more, const Source & at,
  Findings & findings)
{
  std::string allowed = "letters, digits, '_' and '-'";
  for (const char c : more) {
    allowed += std::string(", '") + c + "'";
  }
  if (!can_name(name, more)) {
    findings.fault(at, std::string(what) + " cannot be named " + quoted(name) + "; use " + allowed);
  }
}

ExecutorSchedule read_executor(
  const YamlNode::Entry & entry, Findings & findings, const std::vector<int> * cores,
  const EpochSchedule & epoch)
{
  ExecutorSchedule executor;
  executor.epoch = epoch;
  executor.name = entry.key;
  executor.source = entry.at;
  check_name(entry.key, "an executor", "./", entry.at, findings);
  MapReader map(
    findings, *entry.value, "executor " + quoted(entry.key),
    {"order", "window_timers", "epoch", "on_exception", "missing_rights", "middleware_ceiling",
     "lock_memory", "parallel", "threads", "default", "callbacks", "groups", "sequences",
     "process_threads"});

  map.choice("order", executor.order);
  map.choice("window_timers", executor.window_timers);
  if (map.has("window_timers") && !takt_core::has_windows(executor.order)) {
    findings.fault(
      map.at("window_timers"), "window_timers has no meaning under order '" +
                                 std::string(to_string(executor.order)) +
                                 "'; use order window or stock, or omit it");
  }
  read_epoch(map, findings, executor.epoch);
  map.choice("on_exception", executor.on_exception);
  map.choice("missing_rights", executor.missing_rights);
  read_ceiling(map, findings, executor.middleware_ceiling);
  map.boolean("lock_memory", executor.lock_memory);
  map.boolean("parallel", executor.parallel);
  if (executor.parallel) {
    findings.warn(
      map.at("parallel"),
      "parallel: true lets takt exec run callbacks of a single-threaded rclcpp executor side by "
      "side; data that callbacks of different groups share needs a lock");
  }

  const bool map_given = entry.value->is_map() || entry.value->is_null();
  if (!map_given) {
    return executor;
  }
  for (const char * key : {"threads", "default"}) {
    if (!map.has(key)) {
      findings.fault(
        entry.at,
        "executor " + quoted(entry.key) + " has no '" + key + "'; add " +
          (key == std::string_view("threads")
             ? "for example threads: {main: {}}"
             : "the threads that callbacks use which no rule names, such as default: all"));
    }
  }
  read_threads(map, findings, cores, executor);
  check_ceiling(map, findings, executor);
  read_rules(map, findings, cores, executor);
  read_sequences(map, findings, executor);
  return executor;
}

}  // namespace takt_schedule::detail
