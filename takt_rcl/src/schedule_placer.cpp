#include "schedule_placer.hpp"

#include <utility>

#include "takt_rcl/error.hpp"

namespace takt_rcl
{

namespace
{

template <typename T>
T value_of(takt_core::Result<T> result, const std::string & what)
{
  detail::throw_schedule_faults(what, result.faults());
  return std::move(result.value());
}

}  // namespace

SchedulePlacer::SchedulePlacer(
  const takt_schedule::Schedule & schedule, const std::string & executor_name,
  takt_core::Executor & executor, std::vector<std::string> notes)
: executor_(executor),
  notes_(std::move(notes)),
  resolver_(
    value_of(takt_schedule::Resolver::create(schedule, executor_name), "cannot use the schedule")),
  process_threads_(value_of(
    takt_schedule::ProcessThreads::create(schedule, executor_name), "cannot use the schedule"))
{
  has_thread_rules_ = !resolver_.executor().process_threads.empty();
  strict_ = schedule.strict;
  rights_must_be_there_ = resolver_.executor().missing_rights == takt_core::MissingRights::fail;
}

Placer::Place SchedulePlacer::place(
  const std::string & id, takt_core::Kind kind, const std::string & group_id)
{
  std::lock_guard lock(mutex_);
  const auto resolved = value_of(resolver_.resolve(id, kind), "cannot place " + id);
  Place place;
  place.binding = resolved.binding;
  place.offset = resolved.offset;
  place.missed_periods = resolved.missed_periods;
  place.across_priorities =
    value_of(resolver_.resolve_group(group_id), "cannot place group " + group_id);
  return place;
}

void SchedulePlacer::entity_made()
{
  if (!has_thread_rules_) {
    return;
  }
  std::lock_guard lock(mutex_);
  set_threads();
  if (rights_must_be_there_) {
    detail::throw_faults("cannot set threads of the process", thread_faults_);
  }
}

void SchedulePlacer::set_threads()
{
  const std::vector<pid_t> own = executor_.thread_ids();
  takt_schedule::ProcessThreadsReport report = process_threads_.apply(own);
  thread_faults_ = std::move(report.faults);
  unmatched_thread_rules_ = std::move(report.unmatched_rules);
}

takt_core::Faults SchedulePlacer::faults()
{
  if (!strict_ || started_.load(std::memory_order_relaxed)) {
    return {};
  }
  std::lock_guard lock(mutex_);
  takt_core::Faults all = resolver_.report().faults;
  if (has_thread_rules_) {
    set_threads();
  }
  all.insert(all.end(), unmatched_thread_rules_.begin(), unmatched_thread_rules_.end());
  return all;
}

std::vector<std::string> SchedulePlacer::defaulted() const
{
  std::lock_guard lock(mutex_);
  return resolver_.defaulted_callbacks();
}

takt_core::Faults SchedulePlacer::warnings() const
{
  std::lock_guard lock(mutex_);
  takt_core::Faults all(notes_.begin(), notes_.end());
  const takt_schedule::ResolverReport report = resolver_.report();
  if (!strict_) {
    all.insert(all.end(), unmatched_thread_rules_.begin(), unmatched_thread_rules_.end());
  }
  all.insert(all.end(), report.warnings.begin(), report.warnings.end());
  all.insert(all.end(), thread_faults_.begin(), thread_faults_.end());
  return all;
}

}  // namespace takt_rcl
