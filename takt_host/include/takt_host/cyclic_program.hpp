// The control loops of a program without ROS, as callbacks that takt's tools know.
//
//     takt_host::CyclicProgram program("controller");
//     options.period = 1ms;
//     program.add("control", options, [&](const takt_core::Run &) { ... });
//     const auto started = program.start();
//
// Each loop is the timer callback `/controller:timer(control)` of an executor. `takt status`,
// `top`, `trace`, `monitor`, `apply` and `plan` know it, as they know the callbacks of ROS 2 nodes:
// so one schedule plans a control loop and the nodes around it. Under the schedule that
// TAKT_SCHEDULE names, the loops run on the schedule's threads. Without one, each loop has a thread
// of its own with the attributes of its options.
//
// takt_rt::Application has cyclic threads that takt_rt alone runs; they need nothing but Linux, and
// no tool sees them.
#ifndef TAKT_HOST__CYCLIC_PROGRAM_HPP_
#define TAKT_HOST__CYCLIC_PROGRAM_HPP_

#include <functional>
#include <memory>
#include <string>

#include "takt_core/executor.hpp"
#include "takt_rt/application/cyclic_thread.hpp"
#include "takt_rt/result.hpp"

namespace takt_host
{

/// A program that has started.
struct StartedProgram
{
  takt_rt::Faults notes;  ///< refusals of the kernel, and warnings of the schedule
};

/// One thread adds, starts and waits; `stop` may be called on any thread, also in a signal handler.
class CyclicProgram
{
public:
  /// The work of one period. `run.release` is its nominal time, and `run.skipped` counts the
  /// periods that passed before it. Runs on an executor thread; as real-time safe as it is written.
  /// An exception ends the program's loops, and `wait` returns it; under a schedule with
  /// `on_exception: report` the loops go on, and standard error has a sentence.
  using Function = std::function<void(const takt_core::Run & run)>;

  /// `name` stands for the node in ids: letters, digits and '_'. Set-up only.
  explicit CyclicProgram(std::string name);
  /// Stops the loops, and waits for them.
  ~CyclicProgram();
  CyclicProgram(const CyclicProgram &) = delete;
  CyclicProgram & operator=(const CyclicProgram &) = delete;

  /// Adds a loop. Of the options a schedule replaces the attributes, and its rule for the loop may
  /// replace `offset` and `overrun` (`missed_periods`). Without a schedule all loops need the same
  /// `epoch`. `stack_bytes` does not count: the executor touches the stacks if memory is locked.
  /// Before `start` only: later it ends the process with a message. Set-up only.
  void add(std::string loop, takt_rt::CyclicOptions options, Function function);

  /// Makes the executor, and starts its threads. Memory is locked as the schedule says; without one
  /// it is locked if the process may. Faults: the options, the schedule, or rights that the
  /// schedule requires; then no loop runs. Set-up only; may block.
  takt_rt::Result<StartedProgram> start();

  /// Lets all loops end after their present run. Before or during `start`: the loops end at once.
  /// Any thread; real-time safe; also in a signal handler.
  void stop() noexcept;
  /// Sleeps until all loops have ended. Returns the exception of the loop that ended them; null:
  /// none. Not in a loop. May block.
  [[nodiscard]] std::exception_ptr wait();

  /// The executor, for its counts. Null before `start`. Any thread; real-time safe.
  const takt_core::Executor * executor() const noexcept;

private:
  class Loop;
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace takt_host

#endif  // TAKT_HOST__CYCLIC_PROGRAM_HPP_
