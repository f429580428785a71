// Records every run of a graph's callbacks, without allocating or locking while it runs.
//
// One lane of preallocated records per executor thread; what does not fit is counted. Hangs on the
// executor (runs) and on the context (takes and publishes). Read it after the executor has stopped.
#ifndef TAKT_WORKLOAD__RECORDER_HPP_
#define TAKT_WORKLOAD__RECORDER_HPP_

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "takt_core/observer.hpp"
#include "takt_rcl/message_observer.hpp"
#include "takt_workload/records.hpp"

namespace takt_workload
{

class Recorder : public takt_core::Observer, public takt_rcl::MessageObserver
{
public:
  /// What an executor thread is and got.
  struct Thread
  {
    std::int64_t tid = 0;
    takt_core::AttributeReport attributes;
  };

  /// Set-up only: allocates and touches `threads` times `runs_per_thread` records.
  Recorder(
    const CallbackTable & table, std::size_t threads, std::size_t runs_per_thread,
    std::uint32_t process);

  /// The record of the run in progress on the calling thread, or nullptr. Nodes note their work in
  /// it. Real-time safe.
  static RunRecord * current() noexcept;

  // ---- after the executor has stopped ----
  std::vector<RunRecord> runs() const;
  std::uint64_t unrecorded() const;
  const std::vector<Thread> & threads() const noexcept { return threads_; }

  // ---- takt_core::Observer ----
  void on_added(const takt_core::Callback & callback) override;
  void on_thread(std::uint32_t thread, const takt_core::AttributeReport & report) override;
  void on_start(const takt_core::Run & run) noexcept override;
  void on_end(const takt_core::Run & run, takt_core::Time end) noexcept override;

  // ---- takt_rcl::MessageObserver ----
  void on_publish(
    const takt_rcl::Gid & publisher, std::uint64_t sequence, std::string_view topic,
    const takt_core::ActivationSet * activations) noexcept override;
  void on_take(
    std::uint32_t callback, const takt_rcl::Gid & publisher,
    std::uint64_t sequence) noexcept override;

private:
  struct alignas(64) Lane
  {
    std::vector<RunRecord> records;
    std::size_t used = 0;
    std::uint64_t unrecorded = 0;
    RunRecord spare;  // of a run that does not fit
  };

  const CallbackTable & table_;
  const std::uint32_t process_;
  std::vector<Lane> lanes_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> numbers_;  // takt_core::Callback::number() to the table's
};

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__RECORDER_HPP_
