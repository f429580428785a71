#include "takt_schedule/schedule_placer.hpp"

#include <utility>

#include "takt_schedule/make_executor.hpp"

namespace takt_schedule
{

takt_rt::Result<std::unique_ptr<SchedulePlacer>> SchedulePlacer::create(
  const Schedule & schedule, const std::string & executor_name, takt_core::Executor & executor,
  takt_rt::Faults notes)
{
  // Threads of isolated groups use the same fallback attributes as the executor's threads.
  auto resolver = Resolver::create(
    with_fallbacks(schedule, executor_name, executor.options().setter.get()), executor_name);
  if (!resolver) {
    return resolver.faults();
  }
  auto process_threads = ProcessThreads::create(schedule, executor_name);
  if (!process_threads) {
    return process_threads.faults();
  }
  return std::unique_ptr<SchedulePlacer>(new SchedulePlacer(
    std::move(*resolver), std::move(*process_threads), executor, schedule.strict,
    std::move(notes)));
}

SchedulePlacer::SchedulePlacer(
  Resolver resolver, ProcessThreads process_threads, takt_core::Executor & executor, bool strict,
  takt_rt::Faults notes)
: executor_(executor),
  notes_(std::move(notes)),
  resolver_(std::move(resolver)),
  process_threads_(std::move(process_threads)),
  has_thread_rules_(!resolver_.executor().process_threads.empty()),
  rights_must_be_there_(resolver_.executor().missing_rights == takt_core::MissingRights::fail),
  strict_(strict)
{
}

takt_rt::Result<takt_core::adapter::CallbackSettings> SchedulePlacer::place(
  const std::string & id, takt_core::Kind kind, const std::string & group_id)
{
  std::lock_guard lock(mutex_);
  const auto group = resolver_.resolve_group(group_id);
  if (!group) {
    return group.faults();
  }
  auto resolved = resolver_.resolve(id, kind, group->isolation.has_value());
  if (!resolved) {
    return resolved.faults();
  }
  if (group->isolation && resolved->names_threads) {
    return takt_rt::Faults{bound_and_isolated(*resolved, id, group_id)};
  }
  apply_logical_time(*group, kind, *resolved);
  takt_core::adapter::CallbackSettings settings;
  settings.binding = resolved->binding;
  settings.offset = resolved->offset;
  settings.missed_periods = resolved->missed_periods;
  settings.across_priorities = group->across_priorities;
  settings.condition = group->condition;
  settings.logical_time = group->logical_time;
  settings.isolation = group->isolation;
  if (group->isolation) {
    settings.binding.threads = 0;
  }
  settings.by_rule = resolved->line != 0;
  return settings;
}

takt_rt::Status SchedulePlacer::entity_made()
{
  if (!has_thread_rules_) {
    return {};
  }
  std::lock_guard lock(mutex_);
  set_threads();
  return rights_must_be_there_ ? takt_rt::Status(thread_faults_) : takt_rt::Status();
}

void SchedulePlacer::set_threads()
{
  const std::vector<pid_t> own = executor_.thread_ids();
  ProcessThreadsReport report = process_threads_.apply(own, executor_.options().setter.get());
  thread_faults_ = std::move(report.faults);
  unmatched_thread_rules_ = std::move(report.unmatched_rules);
}

void SchedulePlacer::await(std::function<bool(std::string_view)> may_come)
{
  std::lock_guard lock(mutex_);
  awaited_ = std::move(may_come);
}

std::size_t SchedulePlacer::awaited() const
{
  std::lock_guard lock(mutex_);
  return resolver_.report(true, awaited_).awaited;
}

takt_rt::Faults SchedulePlacer::faults()
{
  if (!strict_ || started_.load(std::memory_order_relaxed)) {
    return {};
  }
  std::lock_guard lock(mutex_);
  takt_rt::Faults all = resolver_.report(true, awaited_).faults;
  if (has_thread_rules_) {
    set_threads();
  }
  all.insert(all.end(), unmatched_thread_rules_.begin(), unmatched_thread_rules_.end());
  if (!awaited_) {
    const takt_rt::Faults vain = executor_.waiting_in_vain();
    all.insert(all.end(), vain.begin(), vain.end());
  }
  return all;
}

std::vector<std::string> SchedulePlacer::defaulted() const
{
  std::lock_guard lock(mutex_);
  return resolver_.defaulted_callbacks();
}

takt_rt::Faults SchedulePlacer::warnings() const
{
  std::lock_guard lock(mutex_);
  takt_rt::Faults all = notes_;
  const ResolverReport report = resolver_.report(true, awaited_);
  if (!strict_) {
    all.insert(all.end(), unmatched_thread_rules_.begin(), unmatched_thread_rules_.end());
  }
  // The schedule is strict and has started: these rules and ids waited for later callbacks.
  if (started_.load(std::memory_order_relaxed)) {
    all.insert(all.end(), report.faults.begin(), report.faults.end());
  }
  all.insert(all.end(), report.warnings.begin(), report.warnings.end());
  if (!strict_ || started_.load(std::memory_order_relaxed)) {
    const takt_rt::Faults vain = executor_.waiting_in_vain();
    all.insert(all.end(), vain.begin(), vain.end());
  }
  all.insert(all.end(), thread_faults_.begin(), thread_faults_.end());
  return all;
}

}  // namespace takt_schedule
