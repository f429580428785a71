// What is measured of a run on its thread, from its pick to its end: CPU time, and what the kernel counted.
//
// On the thread of the run; real-time safe. Where nothing is measured it costs a few stores.
#ifndef TAKT_TRACE__SRC__RECORDING__RUN_METER_HPP_
#define TAKT_TRACE__SRC__RECORDING__RUN_METER_HPP_

#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "recording/kernel_counters.hpp"
#include "recording/recorder.hpp"

namespace takt_trace::detail
{

struct Measured
{
  std::int64_t cpu = 0;       ///< ns; 0: not measured
  std::int64_t take_cpu = 0;  ///< of these up to the start; 0: not measured
  bool has_kernel = false;    ///< what follows is known
  std::int64_t wait_before =
    -1;                   ///< ns for a core, from the end of the run before; below 0: not known
  std::int64_t wait = 0;  ///< ns for a core, in the run
  std::uint32_t voluntary = 0;  ///< context switches in the run
  std::uint32_t involuntary = 0;
};

/// A callback may spin another executor, whose runs are inside of its own; of those beyond the deepest nothing is
/// measured.
class RunMeter
{
public:
  static void picked(const Measures & measures) noexcept
  {
    if (t_depth < kDeepest) {
      Frame & frame = t_frames[t_depth];
      frame.has_cpu = frame.has_kernel = false;
      if (measures.kernel != 0) {
        read_kernel(frame, measures.kernel);
      }
      if (measures.cpu) {
        frame.has_cpu = true;
        frame.cpu = cpu_time();
      }
    }
    t_started &= ~bit_of(t_depth);
    ++t_depth;
  }

  static void started() noexcept
  {
    t_started |= t_depth > 0 ? bit_of(t_depth - 1) : 0;
    if (t_depth > 0 && t_depth <= kDeepest) {
      Frame & frame = t_frames[t_depth - 1];
      if (frame.has_cpu) {
        frame.take_cpu = std::max<std::int64_t>(cpu_time() - frame.cpu, 1);
      }
    }
  }

  static Measured ended() noexcept
  {
    Measured result;
    if (t_depth == 0 || --t_depth >= kDeepest) {
      return result;
    }
    const Frame & frame = t_frames[t_depth];
    if (frame.has_cpu) {
      result.cpu = std::max<std::int64_t>(cpu_time() - frame.cpu, 1);
      result.take_cpu = frame.take_cpu;
    }
    if (frame.has_kernel) {
      add_kernel(frame, result);
    }
    return result;
  }

  /// Of a take that found nothing there is no end to measure.
  static void dropped() noexcept
  {
    if (t_depth > 0) {
      --t_depth;
    }
  }

  /// Of a take that threw there is no end; of a run there is.
  static void thrown() noexcept
  {
    if (t_depth > 0 && (t_started & bit_of(t_depth - 1)) == 0) {
      --t_depth;
    }
  }

private:
  struct Frame
  {
    bool has_cpu = false;
    bool has_kernel = false;
    std::int64_t cpu = 0;          // at the pick
    std::int64_t take_cpu = 0;     // from there to the start
    KernelReading kernel{};        // at the pick
    std::int64_t wait_before = 0;  // up to the pick
  };

  static constexpr std::uint64_t bit_of(std::size_t depth) noexcept
  {
    return depth < 64 ? std::uint64_t{1} << depth : 0;
  }

  static std::int64_t cpu_time() noexcept
  {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

  static void read_kernel(Frame & frame, std::uint32_t recording) noexcept
  {
    const KernelCounters * const counters = own_kernel_counters();
    if (counters == nullptr) {
      return;
    }
    frame.kernel = counters->read();
    frame.has_kernel = frame.kernel.wait >= 0;
    if (t_recording != recording) {
      t_recording = recording;
      t_wait_at_end = -1;  // of a recording that is over
    }
    // The run that this one is inside of began after the end of the run before.
    const bool inside = t_depth > 0 && t_frames[t_depth - 1].has_kernel;
    const std::int64_t since =
      inside ? std::max(t_wait_at_end, t_frames[t_depth - 1].kernel.wait) : t_wait_at_end;
    frame.wait_before = since < 0 ? -1 : std::max<std::int64_t>(frame.kernel.wait - since, 0);
  }

  static void add_kernel(const Frame & frame, Measured & result) noexcept
  {
    const KernelCounters * const counters = own_kernel_counters();
    const KernelReading now = counters != nullptr ? counters->read() : KernelReading{};
    if (now.wait < 0) {
      return;
    }
    result.has_kernel = true;
    result.wait_before = frame.wait_before;
    result.wait = std::max<std::int64_t>(now.wait - frame.kernel.wait, 0);
    result.voluntary = now.voluntary - frame.kernel.voluntary;
    result.involuntary = now.involuntary - frame.kernel.involuntary;
    t_wait_at_end = now.wait;
  }

  static constexpr std::size_t kDeepest =
    4;  // the loader has little room for them (takt_shared_library.cmake)
  static thread_local std::array<Frame, kDeepest> t_frames;
  static thread_local std::size_t t_depth;
  // Bit d: the run at depth d has started, also of those that are too deep for a frame.
  static thread_local std::uint64_t t_started;
  static thread_local std::uint32_t t_recording;   // in which this was read last:
  static thread_local std::int64_t t_wait_at_end;  // of the last run
};

inline thread_local std::array<RunMeter::Frame, RunMeter::kDeepest> RunMeter::t_frames{};
inline thread_local std::size_t RunMeter::t_depth = 0;
inline thread_local std::uint64_t RunMeter::t_started = 0;
inline thread_local std::uint32_t RunMeter::t_recording = 0;
inline thread_local std::int64_t RunMeter::t_wait_at_end = -1;

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RECORDING__RUN_METER_HPP_
