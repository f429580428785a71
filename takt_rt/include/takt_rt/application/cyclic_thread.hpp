// A thread that calls a function once in each period. An Application makes, starts and stops it.
#ifndef TAKT_RT__APPLICATION__CYCLIC_THREAD_HPP_
#define TAKT_RT__APPLICATION__CYCLIC_THREAD_HPP_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "takt_rt/application/cycle_clock.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/cyclic_loop.hpp"
#include "takt_rt/guard/guard.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/release_grid.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/small_thread.hpp"
#include "takt_rt/start_gate.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{

/// Zero of a cyclic thread's offset.
enum class CyclicEpoch
{
  start,  ///< the start of the application, which all its threads share
  host,   ///< zero of the clock, which all processes of a host share: releases at k * period +
          ///< offset
};

/// The options of one cyclic thread.
struct CyclicOptions
{
  ThreadAttributes attributes{};  ///< see `attributes_of`
  Duration period{};              ///< must be positive
  Duration offset{};              ///< of the first release from the epoch; not negative
  CyclicEpoch epoch = CyclicEpoch::start;
  Overrun overrun = Overrun::skip;
  std::size_t stack_bytes = std::size_t{64}
                            << 10U;  ///< of its stack to touch before the first cycle
};

/// The attributes that the thread asks for: under DEADLINE an absent period or deadline is the
/// cycle's period. Set-up only.
ThreadAttributes attributes_of(const CyclicOptions & options);

/// The answer of a cycle: whether and when the next one comes.
enum class NextCycle
{
  go_on,
  stop
};

/// The work of one cycle. Runs on the cyclic thread; as real-time safe as it is written.
using CycleFunction = std::function<NextCycle(const Cycle &)>;

/// The data that the threads of an application share until their common start.
struct CyclicStart
{
  StartGate gate;
  CycleClock * clock = nullptr;
  AttributeSetter * setter = nullptr;
  Time epoch{};            ///< written before the gate opens
  bool cancelled = false;  ///< written before the gate opens: end without a cycle
};

/// One thread; see Application. The functions may be called on any thread, and are real-time safe,
/// except where they say otherwise.
class CyclicThread
{
public:
  /// Starts the thread, which asks for its attributes, touches its stack and waits at the gate.
  /// Set-up only; throws std::system_error if the kernel refuses a thread. For Application.
  CyclicThread(CyclicOptions options, CycleFunction function, CyclicStart & start);
  /// Stops the thread, and waits for its end.
  ~CyclicThread();
  CyclicThread(const CyclicThread &) = delete;
  CyclicThread & operator=(const CyclicThread &) = delete;

  const CyclicOptions & options() const noexcept { return options_; }
  /// The attributes asked for and granted. Valid after the application's start.
  const AttributeReport & report() const noexcept { return report_; }
  /// Whether the stack could be touched. Valid after the application's start.
  const Status & stack() const noexcept { return stack_; }

  /// From each release to its wake-up, and from there to the end of its cycle. Bounded memory: 33
  /// kB each.
  const LogHistogram & latencies() const noexcept { return latencies_; }
  const LogHistogram & execution_times() const noexcept { return execution_times_; }
  /// Number of periods without a cycle, and of cycles that began a period or more after their
  /// release.
  std::uint64_t missed() const noexcept { return missed_.load(std::memory_order_relaxed); }
  std::uint64_t late() const noexcept { return late_.load(std::memory_order_relaxed); }
  /// Page faults of the thread from its first sleep to the end of its last cycle.
  PageFaults page_faults() const noexcept
  {
    return {
      minor_faults_.load(std::memory_order_relaxed), major_faults_.load(std::memory_order_relaxed)};
  }

  /// Ends the thread at its next wake-up.
  void stop() noexcept;
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire) != 0; }
  /// Sleeps until the thread has ended. May block.
  void wait() const noexcept;
  /// The exception of the cycle that ended the thread; nullptr: none. Valid once it has ended. Not
  /// real-time safe.
  std::exception_ptr failure() const { return failure_; }

private:
  friend struct CyclicWork;

  void work();
  Time first_release() const noexcept;
  void run(const Cycle & cycle) noexcept;

  const CyclicOptions options_;
  const CycleFunction function_;
  const GuardName guarded_;  // under `takt exec --guard` each cycle is watched
  CyclicStart & start_;
  AttributeReport report_;
  Status stack_;
  LogHistogram latencies_;
  LogHistogram execution_times_;
  PageFaults faults_before_{};
  std::atomic<std::uint64_t> missed_{0};
  std::atomic<std::uint64_t> late_{0};
  std::atomic<std::uint64_t> minor_faults_{0};
  std::atomic<std::uint64_t> major_faults_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> ended_{0};
  std::exception_ptr failure_;
  std::unique_ptr<SmallThread> thread_;  // last: it ends before the other members
};

}  // namespace takt_rt

#endif  // TAKT_RT__APPLICATION__CYCLIC_THREAD_HPP_
