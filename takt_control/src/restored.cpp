#include "restored.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "executor_words.hpp"

namespace takt_control
{
namespace
{

using takt_core::Binding;
using takt_core::ChainOptions;
using takt_schedule::AppliedPart;

std::string shown(const std::optional<int> & priority)
{
  return priority ? std::to_string(*priority) : "none";
}

/// An empty mask: an executor without own threads may run the callback on all.
std::string shown(takt_core::ThreadMask mask, const std::vector<takt_core::ThreadState> & threads)
{
  return mask == 0 ? "all" : joined(names_in(mask, threads));
}

/// An example: "priority 90 -> 5, threads rest -> hot".
std::string change_of(
  const Binding & has, const Binding & had, const std::vector<takt_core::ThreadState> & threads)
{
  std::string text;
  const auto add = [&](const std::string & what, const std::string & from, const std::string & to) {
    text += (text.empty() ? "" : ", ") + what + " " + from + " -> " + to;
  };
  if (has.priority != had.priority) {
    add("priority", shown(has.priority), shown(had.priority));
  }
  if (has.threads != had.threads) {
    add("threads", shown(has.threads, threads), shown(had.threads, threads));
  }
  return text;
}

bool same(const Binding & a, const Binding & b)
{
  return a.threads == b.threads && a.priority == b.priority && a.deadline == b.deadline &&
         a.boost == b.boost;
}

bool same(const ChainOptions & a, const ChainOptions & b)
{
  return a.path == b.path && a.priority == b.priority && a.deadline == b.deadline &&
         a.period == b.period;
}

void add_chains(
  const std::vector<ChainOptions> & had, const std::vector<ChainOptions> & has,
  std::vector<AppliedPart> & parts)
{
  const auto find = [](const std::vector<ChainOptions> & all, const std::string & name) {
    return std::find_if(all.begin(), all.end(), [&](const auto & one) { return one.name == name; });
  };
  for (const ChainOptions & chain : had) {
    const auto now = find(has, chain.name);
    if (now == has.end() || !same(*now, chain)) {
      AppliedPart part{"chain " + chain.name, AppliedPart::Outcome::applied, "as before"};
      if (now != has.end() && now->priority != chain.priority) {
        part.why =
          "priority " + std::to_string(now->priority) + " -> " + std::to_string(chain.priority);
      }
      parts.push_back(std::move(part));
    }
  }
  for (const ChainOptions & chain : has) {
    if (find(had, chain.name) == had.end()) {
      parts.push_back({"chain " + chain.name, AppliedPart::Outcome::applied, "removed"});
    }
  }
}

}  // namespace

std::vector<AppliedPart> restored_parts(
  const takt_core::Reconfiguration & before, takt_core::Executor & executor)
{
  std::vector<AppliedPart> parts;
  const std::vector<takt_core::ThreadState> threads = executor.threads();
  if (before.chains) {
    add_chains(*before.chains, executor.scheduler().chains(), parts);
  }
  for (const auto & [callback, had] : before.callbacks) {
    const auto has = executor.scheduler_of(*callback).binding(*callback);
    if (has.ok() && !is_adapters_own(*callback) && !same(*has, had)) {
      parts.push_back(
        {"callback " + callback->id(), AppliedPart::Outcome::applied,
         change_of(*has, had, threads)});
    }
  }
  for (const auto & wanted : before.threads) {
    for (const takt_core::ThreadState & thread : threads) {
      if (thread.number != wanted.number || thread.group != wanted.group) {
        continue;
      }
      const bool follows = thread.group.empty() &&
                           executor.options().threads.size() > thread.number &&
                           executor.options().threads[thread.number].follow;
      AppliedPart part = takt_schedule::thread_part(
        {thread.attributes, thread.tid, follows, executor.middleware_ceiling()}, wanted.attributes);
      if (part.outcome != AppliedPart::Outcome::unchanged) {
        parts.push_back(std::move(part));
      }
    }
  }
  if (parts.empty()) {
    parts.push_back({"executor", AppliedPart::Outcome::unchanged});
  }
  return parts;
}

void add_refusals_of(
  const std::vector<takt_rt::AttributeReport> & reports, std::vector<AppliedPart> & parts)
{
  for (const takt_rt::AttributeReport & report : reports) {
    if (report.faults.empty()) {
      continue;
    }
    const std::string what = "thread " + report.asked.name;
    auto part = std::find_if(
      parts.begin(), parts.end(), [&](const AppliedPart & one) { return one.what == what; });
    if (part == parts.end()) {
      part = parts.insert(parts.end(), AppliedPart{what});
    }
    add_refusals(*part, report.faults);
  }
}

takt_core::Reconfiguration still_there(
  takt_core::Reconfiguration before, const takt_core::Executor & executor)
{
  const takt_core::Reconfiguration now = executor.configuration();
  std::erase_if(before.callbacks, [&](const auto & old) {
    return std::none_of(now.callbacks.begin(), now.callbacks.end(), [&](const auto & one) {
      return one.callback == old.callback;
    });
  });
  std::erase_if(before.threads, [&](const auto & old) {
    return std::none_of(now.threads.begin(), now.threads.end(), [&](const auto & one) {
      return one.number == old.number && one.group == old.group;
    });
  });
  return before;
}

nlohmann::json parts_json(const PartsByExecutor & executors)
{
  nlohmann::json all = nlohmann::json::array();
  for (const auto & [name, parts] : executors) {
    nlohmann::json own = nlohmann::json::array();
    for (const AppliedPart & part : parts) {
      own.push_back({{"what", part.what}, {"outcome", to_string(part.outcome)}, {"why", part.why}});
    }
    all.push_back({{"name", name}, {"parts", std::move(own)}});
  }
  return all;
}

void keep_unmatched_by_all(std::vector<AppliedPart> & parts, std::size_t executors)
{
  // Compare only the text that names the rule: behind it each executor may add a different guess.
  const auto rule = [](const AppliedPart & part) {
    return part.what == "rule" ? part.why.substr(0, part.why.find(" matches no ")) : std::string();
  };
  std::map<std::string, std::size_t> count;
  for (const AppliedPart & part : parts) {
    ++count[rule(part)];
  }
  std::erase_if(parts, [&](const AppliedPart & part) {
    const std::string place = rule(part);
    return !place.empty() && std::exchange(count[place], 0) != executors;
  });
}

void append(std::vector<AppliedPart> & all, std::vector<AppliedPart> parts)
{
  all.insert(
    all.end(), std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
}

}  // namespace takt_control
