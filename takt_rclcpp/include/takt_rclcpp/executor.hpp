// An executor for rclcpp nodes that takt runs: with a pool of threads in the order of arrival, or
// under a schedule file.
//
//     takt_rclcpp::Executor executor(rclcpp::ExecutorOptions(), "schedule.yaml");
//     executor.add_node(node);
//     executor.spin();
//
// It can replace any executor of rclcpp: nodes and groups may be added and removed at any time,
// also from callbacks. Needs C++17. docs/exec.md says how to run compiled programs under takt.
#ifndef TAKT_RCLCPP__EXECUTOR_HPP_
#define TAKT_RCLCPP__EXECUTOR_HPP_

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "rclcpp/executor.hpp"
#include "rclcpp/node.hpp"

namespace takt_rclcpp
{

namespace detail
{

/// The types by which `add_callback_group`, and so all functions that add or remove, take a group
/// and a node: values, from Lyrical on references.
template <typename Function>
struct Added;
template <typename GroupType, typename NodeType>
struct Added<void (rclcpp::Executor::*)(GroupType, NodeType, bool)>
{
  using Group = GroupType;
  using Node = NodeType;
};

}  // namespace detail

/// An rclcpp executor whose callbacks takt starts, in the order that the schedule gives.
class Executor : public rclcpp::Executor
{
  using Added = detail::Added<decltype(&rclcpp::Executor::add_callback_group)>;

public:
  /// `schedule_file`: threads, bindings, priorities (docs/schedule.md); empty: `number_of_threads`
  /// ordinary threads in the order of arrival. `executor_name`: the schedule's executor; empty: the
  /// only one of the schedule. Throws std::invalid_argument with all faults of the file, and the
  /// exceptions of rclcpp::Executor's constructor. Set-up only.
  explicit Executor(
    const rclcpp::ExecutorOptions & options = rclcpp::ExecutorOptions(),
    const std::string & schedule_file = std::string(),
    const std::string & executor_name = std::string(), std::size_t number_of_threads = 1);
  /// Makes an executor from parameters of `node`, and declares them if they are not declared:
  /// `schedule_file` and `executor_name` (texts, empty by default) and `thread_num` (a number, 1 by
  /// default). Throws as the constructor does, and std::invalid_argument for a `thread_num` below
  /// 1. Set-up only.
  static std::shared_ptr<Executor> from_parameters(
    rclcpp::Node & node, const rclcpp::ExecutorOptions & options = rclcpp::ExecutorOptions());
  /// Cancels a spin in progress.
  ~Executor() override;
  Executor(const Executor &) = delete;
  Executor & operator=(const Executor &) = delete;

  using rclcpp::Executor::add_node;
  /// As in rclcpp::Executor.
  void add_node(Added::Node node_ptr, bool notify = true) override;
  /// As in rclcpp::Executor.
  void add_callback_group(
    Added::Group group_ptr, Added::Node node_ptr, bool notify = true) override;
  /// As in rclcpp::Executor.
  void remove_callback_group(Added::Group group_ptr, bool notify = true) override;

  using rclcpp::Executor::remove_node;
  /// Throws std::runtime_error and changes nothing if the node is not in this executor.
  void remove_node(Added::Node node_ptr, bool notify = true) override;

  /// Runs callbacks until `cancel` or the end of the context. Without a schedule the calling thread
  /// is one of the threads. Rethrows the exception of a callback. Throws std::runtime_error if it
  /// spins already, if the schedule does not fit, or if the kernel refuses rights that the schedule
  /// requires. May block.
  void spin() override;
  /// Runs each callback that is ready now, at most once, on the calling thread. Throws as `spin`
  /// does.
  void spin_some(std::chrono::nanoseconds max_duration = std::chrono::nanoseconds(0)) override;
  /// As `spin_some`, repeated until no callback is ready or the time is over (zero: no limit).
  /// Throws std::invalid_argument for a negative time.
  void spin_all(std::chrono::nanoseconds max_duration) override;
  /// Runs at most one callback, on the calling thread; waits up to `timeout` (negative: for ever).
  /// Throws as `spin` does.
  void spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) override;
  /// Ends the current spin or, if there is none, the next one. Any thread. May block as rclcpp's
  /// `cancel` does.
  void cancel() override;

protected:
  /// rclcpp's hook for a single callback. Behaves as `spin_once`.
  void spin_once_impl(std::chrono::nanoseconds timeout) override;
  /// rclcpp's hook: runs callbacks one by one on the calling thread until the future is complete or
  /// `timeout` has passed.
  rclcpp::FutureReturnCode spin_until_future_complete_impl(
    std::chrono::nanoseconds timeout,
    const std::function<std::future_status(std::chrono::nanoseconds)> & wait_for_future) override;

private:
  struct Impl;
  Impl & adopted();
  void spin_ready(std::chrono::nanoseconds max_duration, bool again);
  void changed();

  std::unique_ptr<Impl> impl_;
};

}  // namespace takt_rclcpp

#endif  // TAKT_RCLCPP__EXECUTOR_HPP_
