// takt's executor for the executors of rclcpp in a process (the hosts), with its schedule and with
// the recorders of its runs.
//
// A host without a schedule has its own engine. A host that runs one callback at a time on the
// spinning thread has its own engine, too. Under a schedule, other hosts share an engine if they
// use the same executor of the schedule, because the schedule's threads exist once in the process.
// The threads run while at least one of these hosts spins.
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
  /// The engine for `host`. `name`: the host's name in messages. `threads`: the number of threads
  /// of a multi-threaded host without a schedule. Faults: why takt cannot run the host. Set-up
  /// only.
  static takt_rt::Result<std::shared_ptr<Engine>> find_or_make(
    rclcpp::Executor & host, HostKind kind, const std::string & name,
    const ProcessSettings & settings, std::size_t threads);
  Engine(const Engine &) = delete;
  Engine & operator=(const Engine &) = delete;

  const std::shared_ptr<takt_core::Executor> & core() const noexcept { return hosted_->core(); }
  /// Null without a schedule.
  takt_core::adapter::Placer * placer() const noexcept { return hosted_->placer(); }
  Recorder & recorder() const noexcept { return *recorder_; }
  /// Empty without a schedule. See takt_watch::Watching.
  std::vector<takt_watch::ChainResponses> chain_responses() const
  {
    // Chains that `takt apply` adds to a program without a schedule are measured only at times.
    return placer() == nullptr ? std::vector<takt_watch::ChainResponses>{}
                               : hosted_->chain_responses();
  }
  /// The name in the schedule; empty: no schedule.
  const std::string & schedule_executor() const noexcept { return schedule_executor_; }
  /// True if the thread that calls spin is one of the executor's threads.
  bool on_caller() const noexcept { return on_caller_; }
  bool is_shared() const noexcept { return shared_; }
  /// True for one component in a container. The container has already printed the messages that
  /// hold for all.
  bool is_component() const noexcept { return component_; }
  /// True if the callback is in a chain, has a deadline or is watched: then all its waiting
  /// arrivals are stored. Any thread; set-up only.
  bool needs_whole_history(const takt_core::CallbackOptions & callback);

  // ---- for a shared engine: one call each for each spin of a host ----

  /// Starts the threads if no other host spins. Faults: missing rights. May block.
  takt_rt::Faults join();
  /// Ends and joins the threads if no other host spins. May block.
  void leave();

private:
  struct Parts;
  explicit Engine(Parts parts);
  static takt_rt::Result<std::shared_ptr<Engine>> make(
    HostKind kind, const std::string & name, const std::string & executor,
    const HostContent & content, const ProcessSettings & settings, std::size_t threads);
  /// The schedule may have patterns that match callbacks which the host adds only after its start.
  /// `may_come` returns true for these patterns.
  void await(std::function<bool(std::string_view)> may_come);
  /// Stores the facts about the schedule that are needed when callbacks are added.
  void remember(const takt_schedule::Schedule & schedule);
  void expose(bool exclusive, bool timers_apart);

  const std::string schedule_executor_;  // empty: no schedule
  const bool on_caller_;
  const bool shared_;
  const bool component_;
  const std::unique_ptr<takt_host::HostedExecutor> hosted_;
  const std::shared_ptr<Recorder> recorder_;
  std::mutex rules_mutex_;
  std::optional<takt_schedule::Resolver> rules_;  // absent: no schedule
  std::set<std::string> in_chains_;               // ids
  std::unique_ptr<Hangs::Watching> hangs_;        // destroyed before the executor
  std::mutex mutex_;
  std::size_t spinning_ = 0;
  std::vector<std::function<bool(std::string_view)>> awaited_;
};

}  // namespace takt_rclcpp

#endif  // ADOPT__SPIN__ENGINE_HPP_
