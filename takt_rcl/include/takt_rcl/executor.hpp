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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt_core/executor.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/node.hpp"

namespace takt_schedule
{
struct Schedule;
}

namespace takt_rcl
{

using ExecutorOptions = takt_core::ExecutorOptions;

class Executor
{
public:
  using SharedPtr = std::shared_ptr<Executor>;

  /// One thread, first in first out, the default context.
  Executor();
  /// Throws `Error` with all faults of `options`.
  explicit Executor(std::shared_ptr<Context> context, ExecutorOptions options = {});
  /// Threads, order, chains and every callback's place from the executor of that name in the
  /// schedule. Throws `ScheduleError` with all faults. Warnings: see `schedule_warnings`.
  static Executor from_schedule(
    std::shared_ptr<Context> context, const takt_schedule::Schedule & schedule,
    const std::string & executor_name);
  /// Takes all nodes out. Must not spin any more.
  ~Executor();
  Executor(Executor &&) noexcept;
  Executor & operator=(Executor &&) noexcept;

  /// Callbacks the node has or will have. Any time, any thread, also callbacks. Throws `Error` if
  /// the node is in an executor already, if a `remove_node` of it has not returned yet, or if a
  /// callback cannot be added as scheduled. Also while a callback of one of its mutually exclusive
  /// groups still runs in another executor, because it took its own node out or destroyed its own
  /// handle there: a callback cannot move its own node, unless its group is reentrant.
  void add_node(const std::shared_ptr<Node> & node);
  void add_node(Node & node);
  /// Waits for the node's callbacks that run on other threads as destroying them does: see
  /// entity.hpp. Throws `Error` if it is not here.
  void remove_node(const std::shared_ptr<Node> & node);
  void remove_node(Node & node);
  /// One group of a node by itself: what it has or will have. For groups that do not come with their
  /// node, and to spread a node over several executors. Else as `add_node`.
  void add_callback_group(
    const CallbackGroup::SharedPtr & group, const std::shared_ptr<Node> & node);
  void add_callback_group(const CallbackGroup::SharedPtr & group, Node & node);
  /// What `add_callback_group` added. It stays out until it or its node is added again.
  void remove_callback_group(const CallbackGroup::SharedPtr & group);

  /// Until `cancel`, a signal, the context's shutdown, or an exception out of a callback, which is
  /// thrown here. Throws `Error` if it cannot start, `ScheduleError` before anything ran if there are
  /// `schedule_faults`. `epoch`: from when timers count; default: now. From the first spin on the process has a control
  /// socket, by which `takt status` and `takt trace` reach it, until the executor is destroyed.
  void spin(std::optional<takt_rt::Time> epoch = std::nullopt);
  /// Runs at most one callback here; waits up to `timeout` for one (negative: for ever). Whether
  /// one ran. Throws as `spin`.
  bool spin_once(takt_rt::Duration timeout = takt_rt::Duration(-1));
  /// Runs here what is ready now, each callback at most once; how many ran. Throws as `spin`.
  std::size_t spin_some(takt_rt::Duration limit = takt_rt::Duration::zero());
  /// `spin_some` again and again until nothing is ready or `limit` is over (zero: no limit). Throws
  /// also `std::invalid_argument` for a negative limit.
  std::size_t spin_all(takt_rt::Duration limit);
  /// Adds the node, runs what is ready of all nodes here, and removes it.
  std::size_t spin_node_some(std::shared_ptr<Node> node);
  /// Ends the current or, if there is none, the next spin. Any thread, any callback, signal
  /// handlers. Real-time safe.
  void cancel() noexcept;
  /// Real-time safe.
  bool is_spinning() const noexcept;

  /// Faults and refused rights met since it was made, e.g. rules for threads of the middleware,
  /// locked memory, a fixed middleware ceiling. What single executor threads were refused:
  /// `core().attributes()`.
  takt_rt::Faults schedule_warnings() const;
  /// Under `strict: true`, what the first spin refuses: start-up is complete then, so that rules and
  /// ids of chains without a match never will have one.
  takt_rt::Faults schedule_faults() const;
  /// Ids of the callbacks on the schedule's default threads because no rule matches them.
  std::vector<std::string> defaulted_callbacks() const;

  takt_core::Executor & core() noexcept;
  const std::shared_ptr<Context> & context() const noexcept;

private:
  friend void spin(const std::shared_ptr<Node> & node);
  friend void spin_all(const std::shared_ptr<Node> & node, takt_rt::Duration limit);

  static Executor of_process(const std::shared_ptr<Node> & node);

  explicit Executor(std::shared_ptr<Engine> engine);
  bool may_spin() const;  // throws ScheduleError
  void open_gate();

  std::shared_ptr<Engine> engine_;
};

/// Spins the node alone until the context ends: on one thread, or as the schedule file says that the environment variable
/// TAKT_SCHEDULE names. TAKT_EXECUTOR names the executor in that file; by default it is the one whose rules name the most of
/// the node's callbacks. Throws as `Executor::spin`, and `ScheduleError` for a bad file or one that has no executor for
/// this node.
void spin(const std::shared_ptr<Node> & node);

/// Runs what is ready now. Returns at once if the context has ended.
void spin_some(std::shared_ptr<Node> node);

/// Runs until nothing is ready or the time is over, as Executor::spin_all.
void spin_all(const std::shared_ptr<Node> & node, takt_rt::Duration limit);

/// rclcpp's names for two schedules of the one executor, for ported programs. Their order is `fifo`:
/// what became ready first runs first, where rclcpp's executors of these names run timers first.
namespace executors
{

/// One thread.
class SingleThreadedExecutor : public Executor
{
public:
  using SharedPtr = std::shared_ptr<SingleThreadedExecutor>;
  static SharedPtr make_shared() { return std::make_shared<SingleThreadedExecutor>(); }

  explicit SingleThreadedExecutor(
    std::shared_ptr<Context> context = nullptr, ExecutorOptions options = {});
};

/// A pool.
class MultiThreadedExecutor : public Executor
{
public:
  using SharedPtr = std::shared_ptr<MultiThreadedExecutor>;
  static SharedPtr make_shared() { return std::make_shared<MultiThreadedExecutor>(); }

  /// `number_of_threads`: 0: as many as `options` has, else one for each core, at least two.
  explicit MultiThreadedExecutor(
    ExecutorOptions options = {}, std::size_t number_of_threads = 0,
    std::shared_ptr<Context> context = nullptr);

  std::size_t get_number_of_threads();
};

}  // namespace executors

}  // namespace takt_rcl

#endif  // TAKT_RCL__EXECUTOR_HPP_
