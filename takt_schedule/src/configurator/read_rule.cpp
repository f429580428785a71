#include "configurator/read_rule.hpp"

#include <algorithm>
#include <limits>

#include "takt_core/names.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_rt::Policy;

constexpr int kMostThreads = 100'000;

bool has(const ConfiguratorRule & rule, Policy policy)
{
  return std::find(rule.policies.begin(), rule.policies.end(), policy) != rule.policies.end();
}

/// `users:` or `groups:`, names or numbers.
template <typename Id>
void read_ids(
  MapReader & map, Findings & findings, const char * key, const char * kind,
  const std::function<std::optional<Id>(const std::string &)> & find, ConfiguratorRule & rule,
  std::vector<Id> & ids)
{
  for (const Word & word : map.words(key, std::string("the name of a ") + kind + " or a list")) {
    rule.who += (rule.who.empty() ? "" : ", ") + std::string(kind) + " " + word.text;
    // The kernel reads the largest number as "no user".
    const Id most = std::numeric_limits<Id>::max() - 1;
    const auto number = parse_number<Id>(word.text, 0, most);
    const auto id = number ? number : find(word.text);
    if (id) {
      ids.push_back(*id);
    } else {
      findings.fault(
        word.at, "this machine has no " + std::string(kind) + " " + quoted(word.text) +
                   "; write a name that `getent " + (kind[0] == 'u' ? "passwd" : "group") +
                   "` lists, or a number");
    }
  }
}

void read_who(
  MapReader & map, Findings & findings, const NameLookup & names, ConfiguratorRule & rule)
{
  if (!map.has("users") && !map.has("groups")) {
    findings.fault(map.at(), "a rule needs users or groups; add users: robot, or users: any");
    return;
  }
  const YamlNode * const users = map.find("users");
  if (users != nullptr && users->is_scalar() && users->text == "any") {
    rule.anybody = true;
    rule.who = "any user";
    if (map.has("groups")) {
      findings.fault(map.at("groups"), "users: any includes the users of all groups; omit groups");
    }
    return;
  }
  read_ids<uid_t>(map, findings, "users", "user", names.user, rule, rule.users);
  read_ids<gid_t>(map, findings, "groups", "group", names.group, rule, rule.groups);
}

void read_policies(MapReader & map, Findings & findings, ConfiguratorRule & rule)
{
  std::vector<std::string> known;
  for (const auto & [policy, name] : takt_core::names<Policy>()) {
    if (policy != Policy::inherit) {
      known.emplace_back(name);
    }
  }
  for (const Word & word : map.words("policies", "a policy such as fifo, or a list of them")) {
    const auto policy = takt_core::from_string<Policy>(word.text);
    if (!policy || *policy == Policy::inherit) {
      findings.fault(
        word.at, "policies cannot be " + quoted(word.text) +
                   findings.guesses().suggestion(word.text, known, "choices"));
    } else if (!has(rule, *policy)) {
      rule.policies.push_back(*policy);
    }
  }
}

void read_bounds(MapReader & map, Findings & findings, ConfiguratorRule & rule)
{
  const bool realtime = has(rule, Policy::fifo) || has(rule, Policy::rr);
  map.integer("max_priority", 1, 99, rule.max_priority);
  if (realtime) {
    map.require("max_priority", "80");
  } else if (map.has("max_priority")) {
    findings.fault(
      map.at("max_priority"),
      "max_priority belongs to the policies fifo and rr, which the rule has not");
  }
  if (has(rule, Policy::deadline)) {
    map.require("deadline_bandwidth", "0.5");
  } else if (map.has("deadline_bandwidth")) {
    findings.fault(
      map.at("deadline_bandwidth"),
      "deadline_bandwidth belongs to the policy deadline, which the rule has not");
  }
  rule.deadline_bandwidth = read_bandwidth(map, findings).value_or(0.0);
  map.integer("min_nice", -20, 19, rule.min_nice);
  map.integer("max_threads", 1, kMostThreads, rule.max_threads);
  map.integer("rtprio_limit", 0, 99, rule.rtprio_limit);
  if (realtime && rule.rtprio_limit > rule.max_priority) {
    findings.warn(
      map.at("rtprio_limit"),
      "rtprio_limit is above max_priority: a process that raised its limit may "
      "choose priorities that the rule otherwise forbids");
  }
}

void read_cores(MapReader & map, Findings & findings, ConfiguratorRule & rule)
{
  if (!map.has("cores")) {
    return;
  }
  std::vector<int> cores;
  for (const auto & [core, at] : map.cores("cores")) {
    if (std::find(cores.begin(), cores.end(), core) != cores.end()) {
      findings.fault(at, "core " + std::to_string(core) + " is listed twice");
    }
    cores.push_back(core);
  }
  std::sort(cores.begin(), cores.end());
  rule.cores = std::move(cores);
}

}  // namespace

std::optional<double> read_bandwidth(MapReader & map, Findings & findings)
{
  const auto word = map.scalar("deadline_bandwidth", "a number of cores such as 0.5");
  if (!word) {
    return std::nullopt;
  }
  const auto value = parse_number(word->text, 0.0, static_cast<double>(kLargestCore));
  if (!value || *value == 0.0) {
    findings.fault(
      word->at,
      "deadline_bandwidth must be a number of cores above 0, such as 0.5 for half of one, not " +
        quoted(word->text));
    return std::nullopt;
  }
  return value;
}

ConfiguratorRule read_rule(const YamlNode & node, Findings & findings, const NameLookup & names)
{
  ConfiguratorRule rule;
  rule.source = node.at;
  MapReader map(
    findings, node, "a rule",
    {"users", "groups", "policies", "max_priority", "min_nice", "cores", "deadline_bandwidth",
     "max_threads", "rtprio_limit"});
  if (node.is_map()) {
    read_who(map, findings, names, rule);
    read_policies(map, findings, rule);
    read_bounds(map, findings, rule);
    read_cores(map, findings, rule);
  }
  return rule;
}

}  // namespace takt_schedule::detail
