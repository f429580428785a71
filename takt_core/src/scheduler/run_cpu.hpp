// The CPU time of one run and of its take, with as few looks at the thread's CPU clock as possible.
//
// A look at that clock is a system call; a look at the monotonic clock is not. A thread that loses
// its core does not have it back within 2 us. So the CPU time of a shorter stretch is its length on
// the monotonic clock, with an error below 2 us. A thread with one run after the other then has one
// system call a run: at its end.
#ifndef TAKT_CORE__SRC__RUN_CPU_HPP_
#define TAKT_CORE__SRC__RUN_CPU_HPP_

#include <cstdint>

#include "takt_rt/thread_cpu_time.hpp"
#include "takt_rt/time.hpp"

namespace takt_core::detail
{

/// The two clocks of the calling thread, in ns.
struct ThreadClocks
{
  static std::int64_t cpu() noexcept { return takt_rt::thread_cpu_time().count(); }
  static std::int64_t monotonic() noexcept { return takt_rt::to_ns(takt_rt::now()); }
};

/// Times in ns. One thread; real-time safe. `Clocks`: ThreadClocks, or a test's.
template <typename Clocks>
class RunCpu
{
public:
  /// The last look at the CPU clock at the end of a run of this thread.
  struct LastEnd
  {
    std::int64_t cpu = 0;
    std::int64_t at = -kShort;  ///< on the monotonic clock
  };

  /// A stretch below this is not looked up on the CPU clock.
  static constexpr std::int64_t kShort = 2'000;

  bool measured() const noexcept { return began_ >= 0; }

  /// Call at the pick.
  void begin(const LastEnd & last) noexcept
  {
    picked_ = Clocks::monotonic();
    if (const std::int64_t gap = picked_ - last.at; gap < kShort) {
      began_ = last.cpu + gap;
      return;
    }
    began_ = Clocks::cpu();
    picked_ = Clocks::monotonic();
  }
  /// The CPU time of the take. Call after it.
  std::int64_t of_take() const noexcept
  {
    const std::int64_t elapsed = Clocks::monotonic() - picked_;
    return elapsed < kShort ? elapsed : Clocks::cpu() - began_;
  }
  /// The CPU time since the pick. Call at the end.
  std::int64_t end(LastEnd & last) const noexcept
  {
    last.cpu = Clocks::cpu();
    last.at = Clocks::monotonic();
    return last.cpu - began_;
  }
  /// Subtracts `ns` that the thread has spent since the pick.
  void leave_out(std::int64_t ns) noexcept
  {
    began_ += ns;
    picked_ += ns;
  }

private:
  std::int64_t began_ = -1;  // on the CPU clock; below 0: not measured
  std::int64_t picked_ = 0;  // on the monotonic clock
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__RUN_CPU_HPP_
