#include "takt_schedule/process_threads.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "schedule/rule_table.hpp"
#include "takt_schedule/make_executor.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{
namespace
{

using takt_rt::Policy;
using takt_rt::ThreadAttributes;

std::filesystem::path task_directory(pid_t tid)
{
  return std::filesystem::path("/proc/self/task") / std::to_string(tid);
}

std::vector<pid_t> thread_ids()
{
  std::vector<pid_t> result;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/task", error), end;
       !error && entry != end; entry.increment(error)) {
    const auto tid =
      parse_number<pid_t>(entry->path().filename().string(), 1, std::numeric_limits<pid_t>::max());
    if (tid) {
      result.push_back(*tid);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Empty if the thread has ended.
std::optional<std::string> thread_name(pid_t tid)
{
  std::ifstream file(task_directory(tid) / "comm");
  std::string name;
  if (!std::getline(file, name)) {
    return std::nullopt;
  }
  return name;
}

bool has_already(const ThreadAttributes & has, const ThreadAttributes & wanted)
{
  std::vector<int> cores = wanted.cores;
  std::sort(cores.begin(), cores.end());
  const bool same_policy = has.policy == wanted.policy && has.priority == wanted.priority &&
                           has.runtime == wanted.runtime && has.deadline == wanted.deadline &&
                           has.period == wanted.period;
  return (wanted.policy == Policy::inherit || same_policy) &&
         (!wanted.nice || has.nice == wanted.nice) && (cores.empty() || has.cores == cores);
}

}  // namespace

struct ProcessThreads::Impl
{
  Impl(const Schedule & schedule, const ExecutorSchedule & executor)
  : file(schedule.file),
    rules(executor.process_threads),
    table(rules, true),
    matched(table.rows().size(), false)
  {
  }

  std::string file;
  std::vector<ProcessThreadRule> rules;
  detail::RuleTable table;
  std::vector<bool> matched;
};

ProcessThreads::ProcessThreads(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{
}
ProcessThreads::ProcessThreads(ProcessThreads &&) noexcept = default;
ProcessThreads & ProcessThreads::operator=(ProcessThreads &&) noexcept = default;
ProcessThreads::~ProcessThreads() = default;

takt_rt::Result<ProcessThreads> ProcessThreads::create(
  const Schedule & schedule, std::string_view executor_name)
{
  const auto executor = find_executor(schedule, executor_name);
  if (!executor) {
    return executor.faults();
  }
  return ProcessThreads(std::make_unique<Impl>(schedule, *executor.value()));
}

takt_rt::Result<const ProcessThreadRule *> ProcessThreads::find(std::string_view name) const
{
  const auto & rows = impl_->table.rows();
  const auto best = impl_->table.find(name);
  if (best.tie) {
    return takt_rt::Faults{located(
      impl_->file, rows[*best.tie].source, "thread " + impl_->table.describe_tie(name, best))};
  }
  return best.row ? &impl_->rules[rows[*best.row].rule] : nullptr;
}

ProcessThreadsReport ProcessThreads::apply(
  std::span<const pid_t> exclude, takt_rt::AttributeSetter * setter)
{
  takt_rt::AttributeSetter & sets = setter == nullptr ? takt_rt::own_rights() : *setter;
  ProcessThreadsReport report;
  if (impl_->rules.empty()) {
    return report;
  }
  const auto & rows = impl_->table.rows();
  for (const pid_t tid : thread_ids()) {
    if (std::find(exclude.begin(), exclude.end(), tid) != exclude.end()) {
      continue;
    }
    const auto name = thread_name(tid);
    if (!name) {
      continue;
    }
    const auto best = impl_->table.find(*name);
    for (const std::size_t row : best.matches) {
      impl_->matched[row] = true;
    }
    if (best.tie) {
      report.faults.push_back(located(
        impl_->file, rows[*best.tie].source,
        {takt_rt::FaultKind::process_threads, "thread " + impl_->table.describe_tie(*name, best)}));
      continue;
    }
    if (!best.row) {
      continue;
    }
    const ProcessThreadRule & rule = impl_->rules[rows[*best.row].rule];
    MatchedThread thread;
    thread.tid = tid;
    thread.name = *name;
    thread.line = rule.source.line;
    thread.report.asked = rule.attributes;
    thread.report.granted = takt_rt::read_attributes(tid);
    if (!has_already(thread.report.granted, rule.attributes)) {
      thread.changed = true;
      thread.report = sets.apply(rule.attributes, tid);
      // The thread may have ended meanwhile, or its number may belong to another one.
      if (thread_name(tid) != name) {
        continue;
      }
      for (takt_rt::Fault fault : thread.report.faults) {
        fault.kind = takt_rt::FaultKind::process_threads;
        fault.place = "thread " + takt_schedule::quoted(*name) + " (" + std::to_string(tid) + ")";
        if (fault.refusal) {
          fault.refusal->thread = *name;
        }
        report.faults.push_back(located(impl_->file, rule.source, std::move(fault)));
      }
    }
    report.threads.push_back(std::move(thread));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!impl_->matched[i]) {
      report.unmatched_rules.push_back(located(
        impl_->file, rows[i].source,
        "pattern " + takt_schedule::quoted(rows[i].pattern.text()) +
          " matches no thread of this process"));
    }
  }
  return report;
}

}  // namespace takt_schedule
