// DispatchStep for tests that go through all orders of steps of several threads.
#ifndef TAKT_CORE__TEST__SUPPORT__STEPPED_STEP_HPP_
#define TAKT_CORE__TEST__SUPPORT__STEPPED_STEP_HPP_

#include <atomic>
#include <cstdint>

#include "takt_core/detail/dispatch_step.hpp"
#include "takt_rt/test/support/stepper.hpp"

namespace takt_core::test
{

/// The stores that begin steps are sequentially consistent: together with them the heavy fence of
/// set-up is a full fence on both sides.
struct FencedSync : takt_rt::test::SteppedSync
{
  static constexpr std::memory_order kBeginStep = std::memory_order_seq_cst;
};
/// Twin: without the heavy fence.
struct UnfencedSync : takt_rt::test::SteppedSync
{
  static constexpr std::memory_order kBeginStep = std::memory_order_relaxed;
};

template <typename Sync>
struct Step : detail::DispatchStep<Sync>
{
  /// Waits for the end of the step that is under way, as set-up does.
  void await()
  {
    fence.exchange(true);  // as the heavy fence on this side
    const std::uint64_t seen = this->seen();
    takt_rt::test::Stepper::active()->wait(
      [this, seen] { return seen % 2 == 0 || this->number_.visible() != seen; });
  }
  takt_rt::test::SteppedWord<bool> fence{false};
};

}  // namespace takt_core::test

#endif  // TAKT_CORE__TEST__SUPPORT__STEPPED_STEP_HPP_
