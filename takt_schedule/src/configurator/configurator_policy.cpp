#include "takt_schedule/configurator_policy.hpp"

#include "configurator/read_rule.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/reader/format_version.hpp"
#include "takt_schedule/reader/map_reader.hpp"
#include "takt_schedule/reader/yaml_tree.hpp"

namespace takt_schedule
{
namespace
{

constexpr int kPolicyVersion = 1;
constexpr std::size_t kMostRules = 1000;
constexpr YamlLimits kPolicyLimits{1U << 20U, 100'000, 16, "a configurator policy"};

void read_rules(
  MapReader & map, Findings & findings, const NameLookup & names, ConfiguratorPolicy & policy)
{
  if (!map.require("rules", "[{users: robot, policies: [fifo], max_priority: 80}]")) {
    return;
  }
  const YamlNode & list = *map.find("rules");
  if (!expect_list(findings, list, "rules")) {
    return;
  }
  if (list.items.size() > kMostRules) {
    findings.fault(list.at, "more than " + std::to_string(kMostRules) + " rules; use groups");
    return;
  }
  if (list.items.empty()) {
    findings.warn(map.at("rules"), "no rule: the configurator will refuse every request");
  }
  const ConfiguratorRule * everybody = nullptr;
  policy.rules.reserve(list.items.size());
  for (const YamlPtr & item : list.items) {
    if (everybody != nullptr) {
      findings.warn(
        item->at, "the rule is never used: the rule in line " +
                    std::to_string(everybody->source.line) +
                    " is for any user and stands before it; put it last");
    }
    policy.rules.push_back(detail::read_rule(*item, findings, names));
    if (policy.rules.back().anybody && everybody == nullptr) {
      everybody = &policy.rules.back();
    }
  }
}

}  // namespace

takt_rt::Result<ConfiguratorPolicy> parse_configurator_policy(
  std::string_view text, std::string file_name, const NameLookup & names)
{
  Findings findings(file_name);
  const YamlPtr root = parse_yaml(text, findings, kPolicyLimits);
  if (root == nullptr) {
    return findings.faults();
  }
  ConfiguratorPolicy policy;
  policy.file = std::move(file_name);
  MapReader map(
    findings, *root, "a configurator policy", {"version", "deadline_bandwidth", "rules"});
  if (root->is_map() && check_version(map, findings, kPolicyVersion)) {
    policy.deadline_bandwidth = detail::read_bandwidth(map, findings);
    read_rules(map, findings, names, policy);
  }
  if (!findings.ok()) {
    return findings.faults();
  }
  policy.warnings = findings.warnings();
  return policy;
}

takt_rt::Result<ConfiguratorPolicy> load_configurator_policy(const std::string & path)
{
  const auto text = file_text(path, "a configurator policy file", kPolicyLimits.text);
  return text ? parse_configurator_policy(*text, path) : text.faults();
}

}  // namespace takt_schedule
