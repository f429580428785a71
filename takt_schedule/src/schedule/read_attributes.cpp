#include "schedule/read_attributes.hpp"

#include <algorithm>

#include "takt_schedule/core_list.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_rt::Policy;
using takt_rt::ThreadAttributes;

// The fault of a key that belongs to other policies.
std::string misplaced(
  const std::string & key, const ThreadAttributes & attributes, const std::string & policies)
{
  const bool given = attributes.policy != Policy::inherit;
  return key +
         (given ? " does not belong to policy '" + std::string(to_string(attributes.policy)) + "'"
                : " needs a policy") +
         "; use policy " + policies + ", or omit it";
}

void read_priority(MapReader & map, Findings & findings, ThreadAttributes & attributes)
{
  if (takt_rt::has_rt_priority(attributes.policy)) {
    if (!map.has("priority")) {
      findings.fault(
        map.at("policy"), "policy '" + std::string(to_string(attributes.policy)) +
                            "' needs a priority; add priority: 1 to 99");
    }
    map.integer("priority", 1, 99, attributes.priority);
  } else if (map.has("priority")) {
    findings.fault(map.at("priority"), misplaced("priority", attributes, "fifo or rr"));
  }
  if (takt_rt::has_nice(attributes.policy)) {
    map.integer("nice", -20, 19, attributes.nice);
  } else if (map.has("nice")) {
    findings.fault(map.at("nice"), misplaced("nice", attributes, "other or batch"));
  }
}

void read_deadline(MapReader & map, Findings & findings, ThreadAttributes & attributes)
{
  if (attributes.policy != Policy::deadline) {
    for (const char * key : {"runtime", "deadline", "period"}) {
      if (map.has(key)) {
        findings.fault(map.at(key), misplaced(key, attributes, "deadline"));
      }
    }
    return;
  }
  for (const char * key : {"runtime", "period"}) {
    if (!map.has(key)) {
      findings.fault(
        map.at("policy"),
        std::string("policy 'deadline' needs a ") + key + "; add for example " + key + ": 10ms");
    }
  }
  map.duration("runtime", true, attributes.runtime);
  map.duration("period", true, attributes.period);
  attributes.deadline = attributes.period;
  map.duration("deadline", true, attributes.deadline);
}

void read_cores(
  MapReader & map, Findings & findings, const std::vector<int> * usable,
  ThreadAttributes & attributes)
{
  if (map.has("cores") && attributes.policy == Policy::deadline) {
    findings.fault(
      map.at("cores"),
      "policy 'deadline' cannot be combined with cores; put the process into an exclusive cpuset "
      "instead");
    return;
  }
  for (const auto & [core, at] : map.cores("cores")) {
    if (
      std::find(attributes.cores.begin(), attributes.cores.end(), core) != attributes.cores.end()) {
      findings.fault(at, "core " + std::to_string(core) + " is listed twice");
      continue;
    }
    if (usable != nullptr && std::find(usable->begin(), usable->end(), core) == usable->end()) {
      findings.fault(
        at, "core " + std::to_string(core) + " cannot be used; usable cores are " +
              print_cores(*usable));
    }
    attributes.cores.push_back(core);
  }
}

}  // namespace

std::vector<std::string> attribute_keys()
{
  return {"policy", "priority", "nice", "runtime", "deadline", "period", "cores"};
}

ThreadAttributes read_attributes(
  MapReader & map, Findings & findings, const std::vector<int> * cores)
{
  const std::size_t before = findings.fault_count();
  ThreadAttributes attributes;
  map.choice("policy", attributes.policy);
  // Skip the checks of policy-specific keys if the policy is unknown.
  if (findings.fault_count() == before) {
    read_priority(map, findings, attributes);
    read_deadline(map, findings, attributes);
  }
  read_cores(map, findings, cores, attributes);
  if (findings.fault_count() == before) {
    // The core checks further refusals of the kernel; cores were judged above.
    ThreadAttributes coreless = attributes;
    coreless.cores.clear();
    for (const takt_rt::Fault & fault : takt_rt::validate(coreless)) {
      findings.fault(map.at(map.has("policy") ? "policy" : ""), to_string(fault));
    }
  }
  return attributes;
}

}  // namespace takt_schedule::detail
