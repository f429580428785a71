#include "takt_schedule/parse_system.hpp"

#include "ids/read_chains.hpp"
#include "reader/file_text.hpp"
#include "reader/findings.hpp"
#include "reader/format_version.hpp"
#include "reader/map_reader.hpp"
#include "reader/yaml_tree.hpp"
#include "system/read_system.hpp"

namespace takt_schedule
{
namespace
{

/// What else it may be that somebody names as a system model.
const char * other_kind(const detail::MapReader & map)
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

takt_core::Result<System> parse_system(std::string_view text, std::string file_name)
{
  detail::Findings findings(file_name);
  const detail::YamlPtr root = detail::parse_yaml(text, findings, detail::kSystemLimits);
  if (root == nullptr) {
    return findings.faults();
  }
  System system;
  system.file = std::move(file_name);
  detail::MapReader map(
    findings, *root, "a system model",
    {"version", "hosts", "overheads", "communication", "groups", "callbacks", "chains"});
  if (const char * const kind = other_kind(map)) {
    return takt_core::Faults{located(system.file, root->at, kind)};
  }
  if (root->is_map() && detail::check_version(map, findings, kVersion)) {
    detail::read_hosts(map, findings, system);
    detail::read_groups(map, findings, system);
    detail::read_callbacks(map, findings, system);
    detail::read_chains(map, findings, system.chains);
    detail::check_system(system, findings);
  }
  if (!findings.ok()) {
    return findings.faults();
  }
  system.warnings = findings.warnings();
  return system;
}

takt_core::Result<System> load_system(const std::string & path)
{
  const auto text = detail::file_text(path, "a system model file", detail::kSystemLimits.text);
  return text ? parse_system(*text, path) : text.faults();
}

}  // namespace takt_schedule
