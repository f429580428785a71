// The steps of a thread that dispatches, so that set-up can wait until none is under way.
//
// A thread reads and writes some words without atomic steps of its own, as long as no other thread
// may write them. Before set-up lets another thread do so, it says so in a word that the steps
// read, and then waits until each thread is outside of a step that began before: every later step
// knows.
//
//     a thread                             set-up
//     ────────                             ──────
//     begin                                say that others may write
//     others may write? → atomic steps     heavy_fence
//                    no → plain moves      until `over(seen())`: sleep
//     end                                  let others write
//
// A step never waits for set-up.
#ifndef TAKT_CORE__DETAIL__DISPATCH_STEP_HPP_
#define TAKT_CORE__DETAIL__DISPATCH_STEP_HPP_

#include <atomic>
#include <cstdint>

#include "takt_core/detail/sync.hpp"
#include "takt_rt/asymmetric_fence.hpp"

namespace takt_core::detail
{

template <typename Sync = NativeSync>
class DispatchStep
{
public:
  // ---- the dispatching thread; real-time safe ----

  void begin() noexcept
  {
    number_.store(number_.load(std::memory_order_relaxed) + 1, Sync::kBeginStep);
    takt_rt::light_fence();
  }
  void end() noexcept
  {
    number_.store(number_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// Whether the calling thread, which dispatches, is in a step.
  bool open() const noexcept { return number_.load(std::memory_order_relaxed) % 2 != 0; }

  // ---- set-up, after a heavy fence ----

  std::uint64_t seen() const noexcept { return number_.load(std::memory_order_acquire); }
  /// Whether the step that was under way at `seen` has ended, if one was.
  bool over(std::uint64_t seen) const noexcept
  {
    return seen % 2 == 0 || number_.load(std::memory_order_acquire) != seen;
  }

protected:                                                 // for the tests
  typename Sync::template Word<std::uint64_t> number_{0};  // odd: in a step
};

/// A step as a scope. Null: none. Within a step it has no effect.
class DispatchStepScope
{
public:
  explicit DispatchStepScope(DispatchStep<> * step) noexcept
  : step_(step != nullptr && !step->open() ? step : nullptr)
  {
    if (step_ != nullptr) {
      step_->begin();
    }
  }
  ~DispatchStepScope()
  {
    if (step_ != nullptr) {
      step_->end();
    }
  }
  DispatchStepScope(const DispatchStepScope &) = delete;
  DispatchStepScope & operator=(const DispatchStepScope &) = delete;

private:
  DispatchStep<> * const step_;
};

}  // namespace takt_core::detail

#endif  // TAKT_CORE__DETAIL__DISPATCH_STEP_HPP_
