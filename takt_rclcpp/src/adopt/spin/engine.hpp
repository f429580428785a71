// takt's executor for the executors of rclcpp in a process, the hosts, with the schedule that rules it and what
// records its runs.
//
// A host without a schedule has an engine of its own, and so has one that runs one callback at a time, on the thread
// that spins. Under a schedule other hosts for which it has the same executor share one engine: the schedule's threads
// are there once in the process. The threads run while at least one of these hosts spins.
#ifndef ADOPT__SPIN__ENGINE_HPP_
#define ADOPT__SPIN__ENGINE_HPP_

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adopt/chain_recorder.hpp"
#include "adopt/host_kind.hpp"
#include "adopt/observe/hangs.hpp"
#include "adopt/process_settings.hpp"
#include "adopt/recorder.hpp"
#include "adopt/spin/exclusive_schedule.hpp"
#include "rclcpp/executor.hpp"
#include "takt_core/adapter/placer.hpp"
#include "takt_core/executor.hpp"
#include "takt_host/hosted_executor.hpp"
#include "takt_rt/result.hpp"
#include "takt_schedule/resolver.hpp"

namespace takt_rclcpp
{

class Engine
{
public:
  /// The engine for `host`, whose `name` messages use. `threads`: of a multi-threaded host without a schedule.
  /// Faults: why takt cannot run it. Set-up only.
  static takt_rt::Result<std::shared_ptr<Engine>> find_or_make(
    rclcpp::Executor & host, HostKind kind, const std::string & name,
    const ProcessSettings & settings, std::size_t threads);
  Engine(const Engine &) = delete;
  Engine & operator=(const Engine &) = delete;

  const std::shared_ptr<takt_core::Executor> & core() const noexcept { return hosted_->core(); }
  /// Null where no schedule rules.
  takt_core::adapter::Placer * placer() const noexcept { return hosted_->placer(); }
  Recorder & recorder() const noexcept { return *recorder_; }
  /// Null where no schedule rules.
  const ChainRecorder * chain_recorder() const noexcept { return chain_recorder_.get(); }
  /// In the schedule; empty: none rules.
  const std::string & schedule_executor() const noexcept { return schedule_executor_; }
  /// The thread that calls spin is one of the executor's threads.
  bool on_caller() const noexcept { return on_caller_; }
  bool is_shared() const noexcept { return shared_; }
  /// Of one component in a container, which spun before and said what holds for all.
  bool is_component() const noexcept { return component_; }
  /// Whether the callback is in a chain, has a deadline or is watched: all its arrivals that wait must be known then.
  /// Any thread; set-up only.
  bool needs_whole_history(const takt_core::CallbackOptions & callback);

  // ---- of a shared engine: one call each for each spin of a host ----

  /// Starts the threads where no other host spins. Faults: missing rights. May block.
  takt_rt::Faults join();
  /// Ends the threads where no other host spins any more, and waits for them. May block.
  void leave();

private:
  struct Parts;
  explicit Engine(Parts parts);
  static takt_rt::Result<std::shared_ptr<Engine>> make(
    HostKind kind, const std::string & name, const std::string & executor,
    const HostContent & content, const ProcessSettings & settings, std::size_t threads);
  /// Callbacks of a host that may come after its start, by patterns of the schedule.
  void await(std::function<bool(std::string_view)> may_come);
  /// What must be known of the schedule when callbacks come.
  void remember(const takt_schedule::Schedule & schedule);
  void expose(bool exclusive, bool timers_apart);

  const std::string schedule_executor_;  // empty: no schedule rules
  const bool on_caller_;
  const bool shared_;
  const bool component_;
  const std::unique_ptr<takt_host::HostedExecutor> hosted_;
  const std::shared_ptr<Recorder> recorder_;
  std::shared_ptr<ChainRecorder> chain_recorder_;
  std::mutex rules_mutex_;
  std::optional<takt_schedule::Resolver> rules_;  // absent: no schedule rules
  std::set<std::string> in_chains_;               // ids
  std::unique_ptr<Hangs::Watching> hangs_;        // goes before the executor
  std::mutex mutex_;
  std::size_t spinning_ = 0;
  std::vector<std::function<bool(std::string_view)>> awaited_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__ENGINE_HPP_
