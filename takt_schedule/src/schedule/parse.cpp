#include "takt_schedule/parse.hpp"

#include <fstream>
#include <utility>

#include "ids/read_chains.hpp"
#include "schedule/check_schedule.hpp"
#include "schedule/read_executor.hpp"
#include "schedule/read_topics.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/deadline_share.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/format_version.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"
#include "watch/read_watch.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Faults;

bool autogroup_enabled()
{
  std::ifstream file("/proc/sys/kernel/sched_autogroup_enabled");
  int enabled = 0;
  return file >> enabled && enabled != 0;
}

void read_system_name(MapReader & map, Findings & findings, Schedule & schedule)
{
  if (!map.has("system")) {
    return;
  }
  const auto name = map.scalar("system", "the path of the model it was made for");
  if (name && name->text.empty()) {
    findings.fault(name->at, "system is empty; leave it out, or name the model it was made for");
  } else if (name) {
    schedule.system = name->text;
  }
}

void read_executors(
  MapReader & map, Findings & findings, const Machine & machine, Schedule & schedule)
{
  EpochSchedule epoch;
  detail::read_epoch(map, findings, epoch);
  std::optional<takt_rt::Duration> settles;
  map.duration("settles", true, settles);
  const YamlNode * const node = map.find("executors");
  if (node == nullptr || (!node->is_map() && !expect_map(findings, *node, "executors"))) {
    if (node == nullptr) {
      findings.fault(map.at(), "no executors; add 'executors:' with one entry per executor");
    }
    return;
  }
  if (node->entries.empty()) {
    findings.fault(map.at("executors"), "executors is empty; add one entry per executor");
  }
  const std::vector<int> usable = machine.cores ? *machine.cores : takt_rt::usable_cores();
  const AdmittedShare admitted =
    machine.deadline_share ? *machine.deadline_share : deadline_share();
  detail::Surroundings surroundings;
  surroundings.autogroup = machine.autogroup ? *machine.autogroup : autogroup_enabled();
  for (const YamlNode::Entry & entry : node->entries) {
    const bool here = machine.executor.empty() || machine.executor == entry.key;
    schedule.executors.push_back(
      detail::read_executor(entry, findings, here ? &usable : nullptr, epoch));
    schedule.executors.back().settles = settles;
    surroundings.deadline_cores = here ? admitted.share * static_cast<double>(usable.size()) : 0.0;
    surroundings.assumed_cores = admitted.assumed;
    surroundings.realtime = machine.realtime;
    detail::check_executor(schedule.executors.back(), findings, surroundings);
  }
}

}  // namespace

takt_rt::Result<Schedule> parse_schedule(
  std::string_view text, std::string file_name, const Machine & machine, Schedule * readable)
{
  Findings findings(file_name);
  const YamlPtr root = parse_yaml(text, findings, kScheduleLimits);
  if (root == nullptr) {
    return findings.faults();
  }
  Schedule schedule;
  schedule.file = std::move(file_name);
  MapReader map(
    findings, *root, "a schedule",
    {"version", "system", "strict", "epoch", "settles", "executors", "chains", "topics", "watch"});
  if (map.has("nodes") && !map.has("executors")) {
    return Faults{located(
      schedule.file, root->at,
      "this is a graph (it has 'nodes'), where a schedule is expected; `takt run FILE` runs a "
      "graph")};
  }
  if (map.has("callbacks") && !map.has("executors")) {
    return Faults{located(
      schedule.file, root->at,
      "this is a system model (it has 'callbacks'), where a schedule is expected; `takt plan FILE` "
      "makes one")};
  }
  if (root->is_map() && check_version(map, findings, kVersion)) {
    read_system_name(map, findings, schedule);
    map.boolean("strict", schedule.strict);
    read_executors(map, findings, machine, schedule);
    const detail::KnownThreads threads(schedule.executors);
    detail::read_chains(map, findings, &threads, schedule.chains);
    detail::read_topics(map, findings, schedule.topics);
    detail::read_watch_settings(map, findings, threads, schedule.watch);
    detail::check_ties(schedule, findings);
    detail::check_schedule(schedule, findings);
  }
  if (!findings.ok()) {
    if (readable != nullptr) {
      *readable = std::move(schedule);
    }
    return findings.faults();
  }
  schedule.warnings = findings.warnings();
  return schedule;
}

takt_rt::Result<Schedule> load_schedule(
  const std::string & path, const Machine & machine, Schedule * readable)
{
  const auto text = file_text(path, "a schedule file", kScheduleLimits.text);
  return text ? parse_schedule(*text, path, machine, readable) : text.faults();
}

}  // namespace takt_schedule
