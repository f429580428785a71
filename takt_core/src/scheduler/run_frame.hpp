// The runs on a thread's stack, each with its costs. Private to the core.
#ifndef TAKT_CORE__SRC__RUN_FRAME_HPP_
#define TAKT_CORE__SRC__RUN_FRAME_HPP_

#include <atomic>
#include <cstdint>
#include <optional>

#include "scheduler/run_cpu.hpp"
#include "takt_core/callback.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_rt/kernel_counters.hpp"

namespace takt_core::detail
{

/// A run on the calling thread's stack, linked to the run around it: a callback may spin another
/// executor. Lives on that stack.
class RunFrame
{
public:
  explicit RunFrame(Run & run) noexcept : run_(run), outer_(s_current)
  {
    run.costs = nullptr;
    s_current = this;
  }
  ~RunFrame() { s_current = outer_; }
  RunFrame(const RunFrame &) = delete;
  RunFrame & operator=(const RunFrame &) = delete;

  /// The calling thread's innermost run, or nullptr. Real-time safe.
  static RunFrame * current() noexcept { return s_current; }

  const Run & run() const noexcept { return run_; }
  const RunFrame * outer() const noexcept { return outer_; }

  /// Allocates the counters of the calling thread, which will have runs. Set-up only. A thread that
  /// omits this call allocates in the first run for which the kernel's counters are requested.
  static void prepare_thread() noexcept;

  // ---- on its thread, in this order; real-time safe ----

  /// Call right before the take. If costs are requested, `Run::costs` points to the costs from here
  /// on.
  void picked() noexcept
  {
    if (const std::uint32_t wanted = s_wanted.load(std::memory_order_relaxed); wanted != 0) {
      begin(wanted);
    }
  }
  /// Call after the take.
  void started() noexcept
  {
    if (cpu_.measured()) {
      measured_->costs.take_cpu = cpu_.of_take();
    }
  }
  /// Call after the user's function.
  void ended() noexcept
  {
    if (run_.costs != nullptr) {
      end();
    }
  }
  /// Subtracts `ns` of the thread's CPU time so far from the costs of the run.
  void leave_out(std::int64_t ns) noexcept
  {
    if (cpu_.measured()) {
      cpu_.leave_out(ns);
    }
  }
  bool measures_cpu() const noexcept { return cpu_.measured(); }

  /// Counts requests: the low bits count requests for CPU times, the bits from kKernel on requests
  /// for the kernel's counters.
  static constexpr std::uint32_t kKernel = 1U << 16U;
  static std::atomic<std::uint32_t> s_wanted;

private:
  static constinit thread_local RunFrame * s_current;

  void begin(std::uint32_t wanted) noexcept;
  void end() noexcept;

  Run & run_;
  RunFrame * const outer_;
  RunCpu<ThreadClocks> cpu_;
  // Made if costs are requested.
  struct Measured
  {
    takt_rt::KernelReading at_pick{};  // `wait` is below 0: not measured
    RunCosts costs{};
  };
  std::optional<Measured> measured_;
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__RUN_FRAME_HPP_
