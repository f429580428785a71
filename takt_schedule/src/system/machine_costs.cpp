#include "takt_schedule/machine_costs.hpp"

#include <algorithm>

#include "system/read_system.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/reader/format_version.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_schedule
{
namespace
{

constexpr YamlLimits kLimits{64U << 10U, 1'000, 16, "a file of costs"};

}  // namespace

takt_rt::Result<MachineCosts> parse_costs(std::string_view text, std::string file_name)
{
  Findings findings(std::move(file_name));
  const YamlPtr root = parse_yaml(text, findings, kLimits);
  if (root == nullptr) {
    return findings.faults();
  }
  MachineCosts costs;
  MapReader map(findings, *root, "a file of costs", {"version", "overheads", "jitter"});
  if (root->is_map() && check_version(map, findings, 1)) {
    if (map.require("overheads", "{dispatch: 5us, middleware: 30us, context_switch: 5us}")) {
      costs.overheads = detail::read_overheads(findings, *map.find("overheads"), {});
    }
    map.duration("jitter", false, costs.jitter);
  }
  if (!findings.ok()) {
    return findings.faults();
  }
  return costs;
}

takt_rt::Result<MachineCosts> load_costs(const std::string & path)
{
  const auto text = file_text(path, "a file of costs", kLimits.text);
  return text ? parse_costs(*text, path) : text.faults();
}

void add_costs(System & system, const MachineCosts & costs)
{
  for (HostModel & host : system.hosts) {
    host.overheads = costs.overheads;
    host.has_overheads = true;
  }
  for (CallbackModel & callback : system.callbacks) {
    if (callback.is_timer()) {
      callback.jitter = std::max(callback.jitter, costs.jitter);
    }
  }
}

}  // namespace takt_schedule
