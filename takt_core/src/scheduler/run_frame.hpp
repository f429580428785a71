// The runs on a thread's stack, each with what it costs. Private to the core.
#ifndef TAKT_CORE__SRC__RUN_FRAME_HPP_
#define TAKT_CORE__SRC__RUN_FRAME_HPP_

#include <atomic>
#include <cstdint>

#include "takt_core/callback.hpp"
#include "takt_core/run_costs.hpp"
#include "takt_rt/kernel_counters.hpp"

namespace takt_core::detail
{

/// A run on the calling thread's stack, and the one it runs inside of: a callback may spin another executor. Lives on
/// that stack.
class RunFrame
{
public:
  explicit RunFrame(Run & run) noexcept;
  ~RunFrame();
  RunFrame(const RunFrame &) = delete;
  RunFrame & operator=(const RunFrame &) = delete;

  /// The innermost one of the calling thread, or nullptr. Real-time safe.
  static RunFrame * current() noexcept;

  const Run & run() const noexcept { return run_; }
  const RunFrame * outer() const noexcept { return outer_; }

  /// Set-up only, on a thread that is going to have runs. A thread without it allocates in the first run for which
  /// somebody wants the kernel's counters.
  static void prepare_thread() noexcept;

  // ---- on its thread, in this order; real-time safe ----

  /// Right before the take. If anybody wants costs, `Run::costs` has them from here on.
  void picked() noexcept
  {
    if (const std::uint32_t wanted = s_wanted.load(std::memory_order_relaxed); wanted != 0) {
      begin(wanted);
    }
  }
  /// After the take.
  void started() noexcept
  {
    if (began_ >= 0) {
      measure_take();
    }
  }
  /// After the user's function.
  void ended() noexcept
  {
    if (run_.costs != nullptr) {
      end();
    }
  }
  /// Of what the thread used until now `ns` are not the run's.
  void leave_out(std::int64_t ns) noexcept { began_ += began_ >= 0 ? ns : 0; }
  bool measures_cpu() const noexcept { return began_ >= 0; }

  /// How many ask for CPU times, and from kKernel on how many ask for the kernel's counters.
  static constexpr std::uint32_t kKernel = 1U << 16U;
  static std::atomic<std::uint32_t> s_wanted;

private:
  void begin(std::uint32_t wanted) noexcept;
  void measure_take() noexcept;
  void end() noexcept;

  Run & run_;
  RunFrame * const outer_;
  std::int64_t began_ = -1;           // CPU time at the pick; below 0: not measured
  takt_rt::KernelReading at_pick_{};  // `wait` is below 0: not measured
  RunCosts costs_{};
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__RUN_FRAME_HPP_
