// The executor of takt_core with nodes in it.
//
//     takt_rcl::init(argc, argv);
//     auto node = std::make_shared<MyNode>();
//     takt_rcl::Executor executor;
//     executor.add_node(node);
//     executor.spin();
//     takt_rcl::shutdown();
//
// Set-up only and may block, unless a function says otherwise.
#ifndef TAKT_RCL__EXECUTOR_HPP_
#define TAKT_RCL__EXECUTOR_HPP_

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/node.hpp"
#include "takt_rcl/pending_calls.hpp"

namespace takt_schedule
{
struct Schedule;
}

namespace takt_rcl
{

using ExecutorOptions = takt_core::ExecutorOptions;

/// The end of spin_until_future_complete, as rclcpp's.
enum class FutureReturnCode
{
  SUCCESS,
  INTERRUPTED,  ///< the context has ended, the executor was cancelled, or the future can no longer
                ///< become ready
  TIMEOUT
};

namespace detail
{

/// The state of a client's future or of a standard one. Absent: it may still become ready. False:
/// it cannot.
template <typename Future>
std::optional<bool> readiness(const Future & future)
{
  if constexpr (requires { future.status(); }) {
    const FutureStatus status = future.status();
    return status == FutureStatus::timeout ? std::nullopt
                                           : std::optional(status == FutureStatus::ready);
  } else {
    const bool ready = future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return ready ? std::optional(true) : std::nullopt;
  }
}

}  // namespace detail

/// Runs the callbacks of nodes under a schedule. Functions are set-up only and may block, unless
/// stated otherwise.
class Executor
{
public:
  using SharedPtr = std::shared_ptr<Executor>;

  /// One thread, first in first out, the default context.
  Executor();
  /// Throws `Error` with all faults of `options`.
  explicit Executor(std::shared_ptr<Context> context, ExecutorOptions options = {});
  /// Takes threads, order, chains and every callback's placement from the schedule's executor of
  /// that name. Throws `ScheduleError` with all faults. Warnings: see `schedule_warnings`.
  static Executor from_schedule(
    std::shared_ptr<Context> context, const takt_schedule::Schedule & schedule,
    const std::string & executor_name);
  /// Removes all nodes. Must not spin any more.
  ~Executor();
  Executor(Executor &&) noexcept;
  Executor & operator=(Executor &&) noexcept;

  /// Adds the node's present and later callbacks. Any time, any thread, also callbacks. Throws
  /// `Error` if the node is in an executor, if a `remove_node` of it has not returned yet, or if a
  /// callback cannot be added as scheduled. Also throws while a callback of one of its mutually
  /// exclusive groups still runs in another executor, because it removed its own node or destroyed
  /// its own handle there: a callback cannot move its own node, unless its group is reentrant.
  void add_node(const std::shared_ptr<Node> & node);
  /// The caller keeps the node alive until its removal.
  void add_node(Node & node);
  /// Waits for the node's callbacks on other threads, as their destructors do: see entity.hpp.
  /// Throws `Error` if the node is not here.
  void remove_node(const std::shared_ptr<Node> & node);
  void remove_node(Node & node);
  /// Adds the present and later callbacks of one group of a node. Use it for a group that is not
  /// added with its node, or to spread a node over several executors. Otherwise as `add_node`.
  void add_callback_group(
    const CallbackGroup::SharedPtr & group, const std::shared_ptr<Node> & node);
  void add_callback_group(const CallbackGroup::SharedPtr & group, Node & node);
  /// Removes a group that `add_callback_group` added. The group stays removed until it or its node
  /// is added again.
  void remove_callback_group(const CallbackGroup::SharedPtr & group);

  /// Spins until `cancel`, a signal, the context's shutdown, or a callback's exception, which is
  /// rethrown here. Throws `Error` if it cannot start, and `ScheduleError` before any run if there
  /// are `schedule_faults`. `epoch`: zero of timer offsets; default: now. From the first spin until
  /// the executor's end the process has a control socket, by which `takt status` and `takt trace`
  /// reach it.
  void spin(std::optional<takt_rt::Time> epoch = std::nullopt);
  /// Runs at most one callback on this thread and waits up to `timeout` for one (negative: for
  /// ever). Returns whether one ran. Throws as `spin`.
  bool spin_once(takt_rt::Duration timeout = takt_rt::Duration(-1));
  /// Runs the callbacks that are ready now on this thread, each at most once; returns the number of
  /// runs. Throws as `spin`.
  std::size_t spin_some(takt_rt::Duration limit = takt_rt::Duration::zero());
  /// Repeats `spin_some` until no callback is ready or `limit` is over (zero: no limit). Also
  /// throws `std::invalid_argument` for a negative limit.
  std::size_t spin_all(takt_rt::Duration limit);
  /// Runs callbacks on this thread until `future` is ready: a client's, or a standard one. Ends
  /// with INTERRUPTED, too, when the request of a client's future was refused or forgotten.
  /// Negative timeout: for ever. Throws as `spin`.
  template <typename Future>
  FutureReturnCode spin_until_future_complete(
    const Future & future, takt_rt::Duration timeout = takt_rt::Duration(-1))
  {
    return spin_until([&future] { return detail::readiness(future); }, timeout);
  }
  /// Adds the node, runs the ready callbacks of all nodes here, and removes the node.
  std::size_t spin_node_some(std::shared_ptr<Node> node);
  /// Ends the current spin or, if none is in progress, the next one. Any thread, any callback,
  /// signal handlers. Real-time safe.
  void cancel() noexcept;
  /// Real-time safe.
  bool is_spinning() const noexcept;

  /// Faults and refused rights since the creation, e.g. rules for threads of the middleware, locked
  /// memory, a fixed middleware ceiling. `core().attributes()` has the refusals of single executor
  /// threads.
  takt_rt::Faults schedule_warnings() const;
  /// Under `strict: true`, the faults for which the first spin refuses to start: rules and ids of
  /// chains without a match when start-up is complete.
  takt_rt::Faults schedule_faults() const;
  /// Ids of callbacks that have the schedule's default threads because no rule matches them.
  std::vector<std::string> defaulted_callbacks() const;

  /// The executor below, for observers and changes while it runs. Real-time safe.
  takt_core::Executor & core() noexcept;
  /// The context whose end ends the spins. Real-time safe.
  const std::shared_ptr<Context> & context() const noexcept;

private:
  friend void spin(const std::shared_ptr<Node> & node);
  friend void spin_all(const std::shared_ptr<Node> & node, takt_rt::Duration limit);

  static Executor of_process(const std::shared_ptr<Node> & node);

  explicit Executor(std::shared_ptr<Engine> engine);
  bool may_spin() const;  // throws ScheduleError
  FutureReturnCode spin_until(
    const std::function<std::optional<bool>()> & done, takt_rt::Duration timeout);
  void open_gate();

  std::shared_ptr<Engine> engine_;
};

/// Spins the node alone until the context ends: on one thread, or under the schedule file in the
/// environment variable TAKT_SCHEDULE. TAKT_EXECUTOR names the executor in that file; by default it
/// is the one whose rules name the most of the node's callbacks. Throws as `Executor::spin`, and
/// `ScheduleError` for a bad file or one without an executor for this node.
void spin(const std::shared_ptr<Node> & node);

/// Executor::spin_until_future_complete of a new executor with this node.
template <typename Future>
FutureReturnCode spin_until_future_complete(
  const std::shared_ptr<Node> & node, const Future & future,
  takt_rt::Duration timeout = takt_rt::Duration(-1))
{
  Executor executor(node->get_context());
  executor.add_node(node);
  return executor.spin_until_future_complete(future, timeout);
}

/// Runs the ready callbacks. Returns at once if the context has ended.
void spin_some(std::shared_ptr<Node> node);

/// Runs until no callback is ready or the time is over, as Executor::spin_all.
void spin_all(const std::shared_ptr<Node> & node, takt_rt::Duration limit);

/// rclcpp's names for two schedules of the one executor, for ported programs. Their order is
/// `fifo`: the callback that became ready first runs first. rclcpp's executors of these names run
/// timers first.
namespace executors
{

/// One thread.
class SingleThreadedExecutor : public Executor
{
public:
  using SharedPtr = std::shared_ptr<SingleThreadedExecutor>;
  /// As rclcpp's.
  static SharedPtr make_shared() { return std::make_shared<SingleThreadedExecutor>(); }

  explicit SingleThreadedExecutor(
    std::shared_ptr<Context> context = nullptr, ExecutorOptions options = {});
};

/// A pool.
class MultiThreadedExecutor : public Executor
{
public:
  using SharedPtr = std::shared_ptr<MultiThreadedExecutor>;
  /// As rclcpp's.
  static SharedPtr make_shared() { return std::make_shared<MultiThreadedExecutor>(); }

  /// `number_of_threads`: 0: as in `options`, else one for each core, at least two.
  explicit MultiThreadedExecutor(
    ExecutorOptions options = {}, std::size_t number_of_threads = 0,
    std::shared_ptr<Context> context = nullptr);

  /// The number of executor threads.
  std::size_t get_number_of_threads();
};

}  // namespace executors

}  // namespace takt_rcl

#endif  // TAKT_RCL__EXECUTOR_HPP_
