#include "status_json.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "executor_words.hpp"
#include "takt_control/configurator_client.hpp"
#include "takt_control/phase_state_json.hpp"
#include "takt_control/process_setter.hpp"
#include "takt_core/group.hpp"
#include "takt_core/names.hpp"

namespace takt_control
{
namespace
{

using nlohmann::json;
using takt_core::Executor;
using takt_core::ThreadState;
using takt_rt::ThreadAttributes;

json attributes_json(const ThreadAttributes & attributes)
{
  json result{
    {"policy", to_string(attributes.policy)},
    {"priority", attributes.priority},
    {"nice", nullptr},
    {"runtime_ns", attributes.runtime.count()},
    {"deadline_ns", attributes.deadline.count()},
    {"period_ns", attributes.period.count()},
    {"cores", attributes.cores}};
  if (attributes.nice) {
    result["nice"] = *attributes.nice;
  }
  return result;
}

template <typename Duration>
json nanoseconds_or_null(const Duration & duration)
{
  return duration == takt_rt::kForever ? json(nullptr) : json(duration.count());
}

json faults_json(const takt_rt::Faults & faults)
{
  json all = json::array();
  for (const auto & fault : faults) {
    all.push_back(to_string(fault));
  }
  return all;
}

json thread_json(const ThreadState & thread, bool follow)
{
  const ThreadAttributes now =
    thread.tid == 0 ? ThreadAttributes() : takt_rt::read_attributes(thread.tid);
  return {
    {"number", thread.number},
    {"name", thread.attributes.asked.name},
    {"tid", thread.tid},
    {"group", thread.group},
    {"follow", follow},
    {"stack", thread.attributes.asked.stack_size},
    {"asked", attributes_json(thread.attributes.asked)},
    {"granted", attributes_json(thread.attributes.granted)},
    {"now", attributes_json(now)},
    {"faults", faults_json(thread.attributes.faults)}};
}

json callback_json(
  const takt_core::Callback & callback, Executor & executor,
  const std::vector<ThreadState> & threads)
{
  takt_core::Scheduler & scheduler = executor.scheduler_of(callback);
  const bool isolated = &scheduler != &executor.scheduler();
  json result{
    {"id", callback.id()},
    {"kind", to_string(callback.kind())},
    {"group", callback.group().id()},
    {"reentrant", !callback.group().exclusive()},
    {"isolated", isolated},
    {"threads", thread_names(callback, executor, threads)},
    {"priority", scheduler.priority(callback)},
    {"rule_priority", nullptr},
    {"deadline_ns", nullptr},
    {"publishes_last", false},
    {"sequence", nullptr},
    {"non_triggering", nullptr},
    {"when", nullptr},
    {"let", nullptr},
    {"transport", nullptr},
    {"runs", nullptr}};
  if (const auto when = callback.group().condition()) {
    json & words = result["when"] = {
      {"count", when->count},
      {"fresh_ns", nullptr},
      {"spread_ns", nullptr},
      {"waiting", callback.message_counts().waiting},
      {"oldest_ns", nullptr}};
    if (when->fresh) {
      words["fresh_ns"] = when->fresh->count();
    }
    if (when->spread) {
      words["spread_ns"] = when->spread->count();
    }
    if (const takt_rt::Time oldest = callback.oldest_arrival(); oldest != takt_rt::kNever) {
      words["oldest_ns"] = std::max<std::int64_t>((takt_rt::now() - oldest).count(), 0);
    }
  }
  if (const auto logical_time = callback.group().logical_time()) {
    const takt_core::LogicalTimeCounts counts = logical_time->counts();
    result["let"] = {
      {"late", to_string(logical_time->late())},
      {"runs", counts.runs},
      {"late_runs", counts.late},
      {"published", counts.published},
      {"dropped", counts.dropped}};
  }
  if (const auto binding = scheduler.binding(callback); binding.ok()) {
    if (binding->priority) {
      result["rule_priority"] = *binding->priority;
    }
    if (binding->deadline) {
      result["deadline_ns"] = binding->deadline->count();
    }
    result["publishes_last"] = binding->publishes_last;
    if (const auto & place = binding->sequence) {
      result["sequence"] = {
        {"number", place->sequence}, {"position", place->position}, {"graph", place->graph}};
    }
    if (const auto & rule = binding->non_triggering) {
      json & words = result["non_triggering"] = {
        {"takers", rule->with},
        {"keep", rule->keep},
        {"max_age_ns", nullptr},
        {"left_out", callback.left_out()}};
      if (rule->max_age != takt_rt::kForever) {
        words["max_age_ns"] = rule->max_age.count();
      }
    }
  }
  return result;
}

json executor_json(const ExposedExecutor & exposed, const SetValues & set_values)
{
  Executor & executor = *exposed.executor;
  const auto & options = executor.options();
  const std::vector<ThreadState> threads = executor.threads();
  json result{
    {"name", exposed.name},
    {"order", to_string(options.order)},
    {"epoch", to_string(options.epoch)},
    {"schedule", exposed.applied_file.empty() ? exposed.schedule_file : exposed.applied_file},
    {"started_with", exposed.schedule_file},
    {"spinning", executor.running()},
    {"phases", phase_state_json<json>(executor.phases(), takt_rt::now())},
    {"missing_rights", to_string(options.missing_rights)},
    {"on_exception", to_string(options.on_exception)},
    {"middleware_ceiling", to_string(options.middleware_ceiling)},
    {"lock_memory", options.lock_memory},
    {"set_values", set_values.of(executor)},
    {"default", exposed.default_threads},
    {"threads", json::array()},
    {"callbacks", json::array()},
    {"chains", json::array()}};
  for (const ThreadState & thread : threads) {
    const bool follow =
      thread.number < options.threads.size() && options.threads[thread.number].follow;
    result["threads"].push_back(thread_json(thread, follow));
  }
  for (const auto & callback : executor.callbacks()) {
    if (!is_adapters_own(*callback)) {
      json one = callback_json(*callback, executor, threads);
      if (exposed.transport) {
        if (const std::string_view by = exposed.transport(*callback); !by.empty()) {
          one["transport"] = by;
        }
      }
      result["callbacks"].push_back(std::move(one));
    }
  }
  for (const auto & chain : executor.scheduler().chains()) {
    result["chains"].push_back(
      {{"name", chain.name},
       {"path", chain.path},
       {"priority", chain.priority},
       {"deadline_ns", nanoseconds_or_null(chain.deadline)},
       {"period_ns", chain.period.count()}});
  }
  return result;
}

json other_threads(const std::set<pid_t> & own, const RegisteredThreads & registered)
{
  json result = json::array();
  std::error_code error;
  for (const auto & entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const auto tid = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
    if (own.contains(tid)) {
      continue;
    }
    const ThreadAttributes now = takt_rt::read_attributes(tid);
    if (now.policy != takt_rt::Policy::inherit) {  // otherwise the thread has ended
      json thread{
        {"tid", tid}, {"name", now.name}, {"now", attributes_json(now)}, {"asked", nullptr}};
      if (const auto * const report = registered.find(tid)) {
        thread["asked"] = attributes_json(report->asked);
        thread["granted"] = attributes_json(report->granted);
        thread["faults"] = faults_json(report->faults);
      }
      result.push_back(std::move(thread));
    }
  }
  return result;
}

std::vector<std::string> command_line()
{
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) {
    words.push_back(word);
  }
  return words;
}

// When this process started: field 22 of /proc/self/stat, in clock ticks since boot. The name in
// field 2 may hold any characters, so look behind it.
std::int64_t start_time_ns()
{
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::size_t at = text.rfind(')');
  for (int field = 2; field < 21 && at != std::string::npos; ++field) {
    at = text.find(' ', at + 1);
  }
  const std::int64_t ticks = at == std::string::npos ? 0 : std::atoll(text.c_str() + at + 1);
  return ticks * (1'000'000'000 / std::max<std::int64_t>(::sysconf(_SC_CLK_TCK), 1));
}

std::string user_name()
{
  passwd entry{};
  passwd * found = nullptr;
  std::string buffer(4096, '\0');
  if (
    ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
    found != nullptr) {
    return entry.pw_name;
  }
  return std::to_string(::geteuid());
}

}  // namespace

json status_json(
  const std::vector<ExposedExecutor> & executors, const RegisteredThreads & threads,
  const SetValues & set_values)
{
  std::error_code error;
  json result{
    {"schema", 1},
    {"pid", ::getpid()},
    {"program", std::filesystem::read_symlink("/proc/self/exe", error).string()},
    {"command", command_line()},
    {"user", user_name()},
    {"started", start_time_ns()},
    {"configurator", process_setter() == nullptr ? "" : configurator_socket()},
    {"executors", json::array()}};
  std::set<pid_t> own;
  for (const ExposedExecutor & executor : executors) {
    result["executors"].push_back(executor_json(executor, set_values));
    for (const pid_t tid : executor.executor->thread_ids()) {
      own.insert(tid);
    }
  }
  result["process_threads"] = other_threads(own, threads);
  return result;
}

}  // namespace takt_control
