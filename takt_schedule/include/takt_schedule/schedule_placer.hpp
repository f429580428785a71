// Places an adapter's callbacks by a schedule: the threads of one executor's callbacks, and the
// attributes of the process's other threads.
#ifndef TAKT_SCHEDULE__SCHEDULE_PLACER_HPP_
#define TAKT_SCHEDULE__SCHEDULE_PLACER_HPP_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_schedule/process_threads.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_schedule
{

/// Functions: as `Placer` says.
class SchedulePlacer final : public takt_core::adapter::Placer
{
public:
  /// `executor` must outlive the placer's use; `notes` precede its `warnings`. Set-up only. Faults:
  /// the schedule has no executor of this name, or has invalid patterns.
  static takt_rt::Result<std::unique_ptr<SchedulePlacer>> create(
    const Schedule & schedule, const std::string & executor_name, takt_core::Executor & executor,
    takt_rt::Faults notes);

  takt_rt::Result<takt_core::adapter::CallbackSettings> place(
    const std::string & id, takt_core::Kind kind, const std::string & group_id) override;
  takt_rt::Status entity_made() override;
  void await(std::function<bool(std::string_view)> may_come) override;
  std::size_t awaited() const override;
  takt_rt::Faults faults() override;
  takt_rt::Faults warnings() const override;
  std::vector<std::string> defaulted() const override;
  void started() noexcept override { started_.store(true, std::memory_order_relaxed); }

private:
  SchedulePlacer(
    Resolver resolver, ProcessThreads process_threads, takt_core::Executor & executor, bool strict,
    takt_rt::Faults notes);

  void set_threads();  // `mutex_` is held

  mutable std::mutex mutex_;
  takt_core::Executor & executor_;
  takt_rt::Faults notes_;
  Resolver resolver_;
  Awaited awaited_;
  ProcessThreads process_threads_;
  const bool has_thread_rules_;
  const bool rights_must_be_there_;
  const bool strict_;
  takt_rt::Faults thread_faults_;
  takt_rt::Faults unmatched_thread_rules_;
  std::atomic<bool> started_{false};
};

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SCHEDULE_PLACER_HPP_
