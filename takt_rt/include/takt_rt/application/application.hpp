// A real-time program: cyclic threads that begin together, in memory that takes no page faults.
//
//     takt_rt::Application application;
//     application.add(options, [&](const takt_rt::Cycle & cycle) { ... });
//     const auto started = application.start();
//
// `start` makes the threads, gives them their attributes, locks and reserves memory, and then opens
// one gate for all, so that no cycle runs before everything is in place. It reports what was asked,
// what was granted and what it cost.
#ifndef TAKT_RT__APPLICATION__APPLICATION_HPP_
#define TAKT_RT__APPLICATION__APPLICATION_HPP_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt_rt/application/cycle_clock.hpp"
#include "takt_rt/application/cyclic_thread.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt
{

/// What `start` does if the kernel refuses an attribute or the memory lock.
enum class MissingRights
{
  report,  ///< runs, with the refusals in the report
  fail,    ///< runs no cycle, and returns the refusals as faults
};

/// The options of an Application.
struct ApplicationOptions
{
  bool lock_memory = true;
  /// Bytes of heap to reserve in memory, if it is locked. Then new threads share one arena of
  /// malloc, or the reserve would be the starting thread's alone. Start the application before
  /// other threads: they would leave arenas without a reserve.
  std::size_t heap_bytes = 0;
  /// Of the starting thread's stack to touch; a cyclic thread has its own option.
  std::size_t stack_bytes = 0;
  MissingRights missing_rights = MissingRights::report;
  /// Nullptr: `own_rights()`; takt_control has the configurator daemon's.
  AttributeSetter * setter = nullptr;
  CycleClock * clock = nullptr;  ///< nullptr: the real clock
  /// From the opening of the gate to the epoch: all threads sleep by then. On the application's
  /// clock.
  Duration lead = std::chrono::milliseconds(10);
};

/// The result of `Application::start`.
struct StartReport
{
  Time epoch{};  ///< zero of the offsets of threads with CyclicEpoch::start
  bool memory_locked = false;
  Duration memory_took{};      ///< to lock, reserve and touch memory
  PageFaults memory_faults{};  ///< that the process took for it, and will not take later
  Faults refused{};            ///< the refusals that were reported instead of failing
};

/// One thread adds and starts; `stop` may be called on any thread.
class Application
{
public:
  /// Set-up only.
  explicit Application(ApplicationOptions options = {});
  /// Stops all threads, waits for them, and unlocks memory if it was locked here.
  ~Application();
  Application(const Application &) = delete;
  Application & operator=(const Application &) = delete;

  /// Adds a thread that calls `function(const Cycle &)` once in each period. A function that
  /// returns NextCycle can end its thread. An exception of it ends the thread, too
  /// (`CyclicThread::failure`). Before `start` only: later it ends the process with a message.
  /// Set-up only. The returned number is the thread's index in `threads`.
  template <typename Function>
  std::size_t add(CyclicOptions options, Function function)
  {
    if constexpr (std::is_void_v<std::invoke_result_t<Function &, const Cycle &>>) {
      return add_cycle(
        std::move(options), [work = std::move(function)](const Cycle & cycle) mutable {
          work(cycle);
          return NextCycle::go_on;
        });
    } else {
      return add_cycle(std::move(options), std::move(function));
    }
  }

  /// Starts all threads at one time. Returns all faults at once if options are invalid, if it was
  /// started before, or under MissingRights::fail for refusals; then no cycle runs. May block;
  /// set-up only.
  Result<StartReport> start();

  /// Lets all threads end at their next wake-up. Before or during `start`: no cycle runs. Any
  /// thread; real-time safe on the real clock.
  void stop() noexcept;
  /// Sleeps until all threads have ended. May block.
  void wait() const noexcept;

  /// The threads in the order of `add`; empty before `start`.
  const std::vector<std::unique_ptr<CyclicThread>> & threads() const noexcept { return threads_; }

private:
  struct Planned
  {
    CyclicOptions options;
    CycleFunction function;
  };

  std::size_t add_cycle(CyclicOptions options, CycleFunction function);
  Faults faults_of_options() const;
  void make_threads();
  void prepare_memory(StartReport & report);
  void open(bool cancelled);

  const ApplicationOptions options_;
  RealClock real_clock_;
  CyclicStart start_;
  std::vector<Planned> planned_;
  bool started_ = false;
  bool locked_ = false;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> complete_{false};  // `threads_` changes no more before the destructor
  std::vector<std::unique_ptr<CyclicThread>> threads_;
};

}  // namespace takt_rt

#endif  // TAKT_RT__APPLICATION__APPLICATION_HPP_
