// Runs the nodes and groups of an executor of rclcpp, its host, for the time of its `spin`.
//
// The host stays usable: other threads may add and remove nodes and groups, ask `is_spinning`, and
// call `cancel` while takt's executor runs its callbacks. When the adoption ends, the host's own
// loop can go on. An adoption may serve several spins (those of takt_rclcpp::Executor); between two
// spins it only records that something changed.
#ifndef ADOPT__SPIN__ADOPTION_HPP_
#define ADOPT__SPIN__ADOPTION_HPP_

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adopt/entities/hosted_entities.hpp"
#include "adopt/host_kind.hpp"
#include "adopt/process_settings.hpp"
#include "adopt/spin/adoption_state.hpp"
#include "adopt/spin/end_of_context.hpp"
#include "adopt/spin/engine.hpp"
#include "rclcpp/executor.hpp"
#include "takt_core/executor.hpp"
#include "takt_rt/result.hpp"

namespace takt_rclcpp
{

/// The name of an executor of rclcpp in reports and messages: the name of its first node, with "#2"
/// for the second executor of this name in the process. An executor keeps its name, and no other
/// executor gets it. Any thread; may block.
std::string name_executor(rclcpp::Executor & host);

class Adoption : private ContextUser, private RunOwner
{
public:
  /// `settings` must live longer. `threads`: the number of threads of a multi-threaded host without
  /// a schedule. Faults: why the host cannot be adopted; then the host is unchanged.
  static takt_rt::Result<std::unique_ptr<Adoption>> create(
    rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, std::size_t threads);
  ~Adoption() override;
  Adoption(const Adoption &) = delete;
  Adoption & operator=(const Adoption &) = delete;

  /// Spins until `cancel`, the end of the context, or an exception of a callback, which it
  /// rethrows. Faults: the reasons why the spin could not start; then no callback has run. The
  /// caller of this and the next two functions sets the host's `spinning`, and calls one of them at
  /// a time.
  takt_rt::Faults spin();
  /// Runs at most one callback, on the calling thread; waits up to `timeout` (negative: for ever).
  /// Rethrows the callback's exception; throws std::runtime_error if it cannot start.
  void spin_once(std::chrono::nanoseconds timeout);
  /// Runs the callbacks that are ready now, on the calling thread. Returns true if one ran. Throws
  /// as `spin_once` does.
  bool spin_some(std::chrono::nanoseconds limit);
  /// Ends the current spin or, if there is none, the next one. Any thread; real-time safe.
  void cancel() noexcept { core_->cancel(); }

  /// Call it when the host's nodes or groups changed, or when the host was cancelled. Any thread;
  /// real-time safe.
  void changed() noexcept;

  /// Writes the report so far. Any thread; may block.
  void report() const;

private:
  class Housekeeping;
  class LateHousekeeping;
  class Active;

  Adoption(
    rclcpp::Executor & host, HostKind kind, const ProcessSettings & settings, std::string name,
    std::shared_ptr<Engine> engine);
  takt_rt::Faults begin();
  /// Follows changes. `lock`: of `update_mutex_`.
  void update(std::unique_lock<std::mutex> lock);
  void update_if_changed(const std::unique_lock<std::mutex> & lock);
  takt_core::SpinOutcome spin_with_others();
  void end() noexcept;
  void take_out() noexcept;
  void failed(const std::exception_ptr & exception) noexcept override;
  RunScope exclude() override;
  bool is_over() const noexcept override { return left_.load(); }
  bool stopped() const noexcept;
  void context_ended() noexcept override;
  bool runs_callback() const noexcept override { return running_.load() > 0; }

  rclcpp::Executor & host_;
  const HostKind kind_;
  const ProcessSettings & settings_;
  const std::string name_;
  const std::shared_ptr<Engine> engine_;
  const std::shared_ptr<takt_core::Executor> core_;  // belongs to the engine
  std::shared_ptr<ClockWaiter> waiter_;
  std::unique_ptr<HostedEntities> entities_;
  const unsigned report_number_;
  std::size_t own_threads_ = 1;  // of the host without takt
  std::shared_ptr<Housekeeping> housekeeping_;
  std::shared_ptr<LateHousekeeping> late_housekeeping_;  // null if it would be of no use
  std::mutex update_mutex_;
  std::atomic<bool> changed_{false};  // the host may have changed since the last update
  CurrentState state_;
  std::atomic<int> running_{0};    // callbacks in progress
  std::atomic<bool> left_{false};  // a spin with others is over
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  takt_rt::Time asked_{};               // when the program called spin
  std::atomic<takt_rt::Time> began_{};  // begin of the spin in progress
  bool told_ = true;                    // the report is complete
  // Guards the next three and the report's file: the process may end, and report, while a spin ends
  // on another thread.
  mutable std::mutex report_mutex_;
  takt_rt::Duration started_after_{};              // of the first spin
  takt_rt::Duration spun_{};                       // all spins together
  std::vector<takt_rt::AttributeReport> threads_;  // at the end of a spin with others
};

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__ADOPTION_HPP_
