#include <algorithm>

#include "schedule/read_attributes.hpp"
#include "schedule/read_executor.hpp"
#include "takt_core/scheduler.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_schedule/size.hpp"
#include "threads/thread_names.hpp"

namespace takt_schedule::detail
{
namespace
{

using takt_core::MissingRights;
using takt_rt::Policy;

constexpr int kMostThreads = static_cast<int>(takt_core::Scheduler::kMaxThreads);
constexpr std::size_t kLongestOsName = 15;
// Each thread's stack uses address space, and memory once it is locked.
constexpr std::size_t kLargestStack = std::size_t{1} << 30U;

/// The common keys of an executor's and an isolated group's threads, without their attributes.
void read_stack(MapReader & map, Findings & findings, Threads & threads)
{
  map.size("stack", threads.attributes.stack_size);
  if (!map.has("stack")) {
    return;
  }
  takt_rt::ThreadAttributes only_stack;
  only_stack.stack_size = threads.attributes.stack_size;
  for (const takt_rt::Fault & fault : takt_rt::validate(only_stack)) {
    findings.fault(map.find("stack")->at, to_string(fault));
  }
  if (threads.attributes.stack_size > kLargestStack) {
    findings.fault(map.find("stack")->at, "stack must be at most " + print_size(kLargestStack));
  }
}

void read_fallback(
  MapReader & map, Findings & findings, const ExecutorSchedule & executor, Threads & threads)
{
  const YamlNode * const node = map.find("fallback");
  if (node == nullptr) {
    return;
  }
  MapReader fallback(findings, *node, "fallback", {"nice"});
  threads.fallback.emplace();
  fallback.integer("nice", -20, 19, threads.fallback->nice);
  const Policy policy = threads.attributes.policy;
  if (!takt_rt::has_rt_priority(policy) && policy != Policy::deadline) {
    findings.fault(
      map.at("fallback"), "a fallback belongs to policies that need rights, not to '" +
                            std::string(to_string(policy)) + "'; omit it");
  } else if (executor.missing_rights == MissingRights::fail) {
    findings.warn(
      map.at("fallback"),
      "this fallback is never used under missing_rights: fail; add missing_rights: report");
  }
}

Threads read_entry(
  const YamlNode::Entry & entry, Findings & findings, const std::vector<int> * cores,
  const ExecutorSchedule & executor)
{
  Threads threads;
  threads.name = entry.key;
  threads.source = entry.at;
  if (entry.key == kAllThreads) {
    findings.fault(entry.at, "threads cannot be named 'all', which means every thread");
  } else {
    check_name(entry.key, "threads", "", entry.at, findings);
  }
  std::vector<std::string> keys = attribute_keys();
  keys.insert(keys.begin(), "count");
  keys.insert(keys.end(), {"spread", "follow", "stack", "fallback"});
  const std::size_t before = findings.fault_count();
  MapReader map(findings, *entry.value, "threads " + quoted(entry.key), std::move(keys));
  if (findings.fault_count() != before && !entry.value->is_map()) {
    return threads;
  }
  map.integer("count", 1, kMostThreads, threads.count);
  threads.attributes = read_attributes(map, findings, cores);
  map.boolean("spread", threads.spread);
  map.boolean("follow", threads.follow);
  read_stack(map, findings, threads);
  read_fallback(map, findings, executor, threads);

  if (threads.spread && threads.attributes.policy == Policy::deadline) {
    findings.fault(
      map.at("spread"), "policy 'deadline' cannot have cores of its own; remove spread");
  }
  if (threads.follow && threads.attributes.policy != Policy::fifo) {
    findings.fault(
      map.at("follow"), "a following pool needs policy 'fifo', not '" +
                          std::string(to_string(threads.attributes.policy)) + "'");
  }
  const std::string last =
    threads.count > 1 ? entry.key + "." + std::to_string(threads.count - 1) : entry.key;
  if (last.size() > kLongestOsName) {
    findings.warn(
      entry.at, "the kernel cuts the thread name " + quoted(last) + " to " +
                  quoted(last.substr(0, kLongestOsName)) + "; choose a shorter one");
  }
  return threads;
}

}  // namespace

std::vector<std::string> isolation_keys()
{
  std::vector<std::string> keys = attribute_keys();
  keys.insert(keys.end(), {"count", "stack", "fallback"});
  return keys;
}

std::optional<Threads> read_isolation(
  MapReader & map, Findings & findings, const std::vector<int> * cores,
  const ExecutorSchedule & executor)
{
  bool isolate = false;
  map.boolean("isolate", isolate);
  if (!isolate) {
    for (const std::string & key : isolation_keys()) {
      if (map.has(key)) {
        findings.fault(
          map.at(key),
          key + " belongs to the threads of isolated groups; add isolate: true, or omit it");
      }
    }
    return std::nullopt;
  }
  Threads threads;
  threads.source = map.at("isolate");
  map.integer("count", 1, kMostThreads, threads.count);
  threads.attributes = read_attributes(map, findings, cores);
  read_stack(map, findings, threads);
  read_fallback(map, findings, executor, threads);
  return threads;
}

std::vector<std::string> read_thread_words(
  MapReader & map, Findings & findings, std::string_view key, const ExecutorSchedule & executor)
{
  int total = 0;
  for (const Threads & threads : executor.threads) {
    total += threads.count;
  }
  if (total > kMostThreads) {
    return {};  // too many threads are a fault already; skip the costly names
  }
  const ThreadNames names(executor);
  std::vector<std::string> known{std::string(kAllThreads)};
  const auto offer = [](std::vector<std::string> & words, const std::string & name) {
    if (std::find(words.begin(), words.end(), name) == words.end()) {
      words.push_back(name);
    }
  };
  // A faulty name has its own fault, and is not suggested.
  for (const Threads & threads : executor.threads) {
    if (can_name(threads.name)) {
      offer(known, threads.name);
    }
  }
  // Suggest single threads only if the word has a dot.
  std::vector<std::string> with_single = known;
  for (const std::string & name : names.names()) {
    if (can_name(name.substr(0, name.rfind('.')))) {
      offer(with_single, name);
    }
  }

  std::vector<std::string> result;
  for (const Word & word : map.words(key, "a thread name, a list of them, or all")) {
    if (const auto threads = names.find(word.text)) {
      for (const std::string & earlier : result) {
        if ((*threads & names.find(earlier).value_or(0)) != 0) {
          findings.fault(
            word.at,
            quoted(word.text) + (earlier == word.text ? " is listed twice"
                                                      : " shares threads with " + quoted(earlier) +
                                                          ", which is listed already; omit one"));
          break;
        }
      }
      result.push_back(word.text);
    } else {
      const bool dot = word.text.find('.') != std::string::npos;
      findings.fault(
        word.at, "unknown thread " + quoted(word.text) +
                   findings.guesses().suggestion(word.text, dot ? with_single : known, "threads"));
    }
  }
  return result;
}

void read_threads(
  MapReader & map, Findings & findings, const std::vector<int> * cores, ExecutorSchedule & executor)
{
  const YamlNode * const node = map.find("threads");
  if (node != nullptr && node->is_list()) {
    findings.fault(
      node->at,
      "threads must be a map of names, not a list; write threads: {hot: {policy: fifo, priority: "
      "40}, rest: {}}");
  } else if (node != nullptr && expect_map(findings, *node, "threads")) {
    if (node->entries.empty()) {
      findings.fault(
        map.at("threads"), "threads is empty; add for example 'main: {}' for one ordinary thread");
    }
    int total = 0;
    for (const YamlNode::Entry & entry : node->entries) {
      executor.threads.push_back(read_entry(entry, findings, cores, executor));
      const int before = total;
      total += executor.threads.back().count;
      if (total > kMostThreads && before <= kMostThreads) {
        findings.fault(
          entry.at, "more than " + std::to_string(kMostThreads) + " executor threads with " +
                      quoted(entry.key) + "; split the executor");
      }
    }
  }
  if (!executor.threads.empty()) {
    executor.default_threads = read_thread_words(map, findings, "default", executor);
  }
}

}  // namespace takt_schedule::detail
