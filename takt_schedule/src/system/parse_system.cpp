#include "takt_schedule/parse_system.hpp"

#include "ids/read_chains.hpp"
#include "system/read_system.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/reader/findings.hpp"
#include "takt_schedule/reader/format_version.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_schedule
{
namespace
{

/// The kind of another takt file that a user may name as a system model.
const char * other_kind(const MapReader & map)
{
  if (map.has("executors")) {
    return "this is a schedule (it has 'executors'), where a system model is expected";
  }
  if (map.has("nodes")) {
    return "this is a graph (it has 'nodes'), where a system model is expected";
  }
  return nullptr;
}

}  // namespace

takt_rt::Result<System> parse_system(std::string_view text, std::string file_name)
{
  Findings findings(file_name);
  const YamlPtr root = parse_yaml(text, findings, kSystemLimits);
  if (root == nullptr) {
    return findings.faults();
  }
  System system;
  system.file = std::move(file_name);
  MapReader map(
    findings, *root, "a system model",
    {"version", "hosts", "overheads", "communication", "groups", "callbacks", "chains"});
  if (const char * const kind = other_kind(map)) {
    return takt_rt::Faults{located(system.file, root->at, kind)};
  }
  if (root->is_map() && check_version(map, findings, kVersion)) {
    detail::read_hosts(map, findings, system);
    detail::read_groups(map, findings, system);
    detail::read_callbacks(map, findings, system);
    detail::read_chains(map, findings, nullptr, system.chains);
    detail::check_system(system, findings);
  }
  if (!findings.ok()) {
    return findings.faults();
  }
  system.warnings = findings.warnings();
  return system;
}

takt_rt::Result<System> load_system(const std::string & path)
{
  const auto text = file_text(path, "a system model file", kSystemLimits.text);
  return text ? parse_system(*text, path) : text.faults();
}

}  // namespace takt_schedule
