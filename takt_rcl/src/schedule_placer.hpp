// A schedule as the placer of an executor's callbacks and of the process's other threads.
#ifndef SCHEDULE_PLACER_HPP_
#define SCHEDULE_PLACER_HPP_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "placer.hpp"
#include "takt_schedule/process_threads.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_rcl
{

class SchedulePlacer : public Placer
{
public:
  /// `executor` outlives the placer's use. `notes`: what is to be told already. Throws `Error`.
  SchedulePlacer(
    const takt_schedule::Schedule & schedule, const std::string & executor_name,
    takt_core::Executor & executor, std::vector<std::string> notes);

  Place place(const std::string & id, takt_core::Kind kind, const std::string & group_id) override;
  void entity_made() override;
  takt_core::Faults faults() override;
  takt_core::Faults warnings() const override;
  std::vector<std::string> defaulted() const override;
  void started() noexcept override { started_.store(true, std::memory_order_relaxed); }

private:
  void set_threads();  // `mutex_` is held

  mutable std::mutex mutex_;
  takt_core::Executor & executor_;
  std::vector<std::string> notes_;
  takt_schedule::Resolver resolver_;
  takt_schedule::ProcessThreads process_threads_;
  bool has_thread_rules_ = false;
  bool rights_must_be_there_ = false;
  takt_core::Faults thread_faults_;
  takt_core::Faults unmatched_thread_rules_;
  bool strict_ = false;
  std::atomic<bool> started_{false};
};

}  // namespace takt_rcl

#endif  // SCHEDULE_PLACER_HPP_
