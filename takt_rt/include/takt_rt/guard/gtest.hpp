// For tests with GoogleTest: checks that code does not allocate, or that it does nothing of what
// the guard notes (kind.hpp).
//
//     controller.update();  // the first run touches its memory and binds its symbols
//     EXPECT_TRUE(takt_rt::allocates_nothing([&] { controller.update(); }));
//     EXPECT_TRUE(takt_rt::is_real_time_safe([&] { controller.update(); }));
//
// The test program links takt_rt::takt_guard, or runs with libtakt_guard.so preloaded. Without the
// library both checks fail. The address and thread sanitizers replace the same functions; under
// them the checks see no allocations.
#ifndef TAKT_RT__GUARD__GTEST_HPP_
#define TAKT_RT__GUARD__GTEST_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "takt_rt/guard/guard.hpp"

namespace takt_rt
{

/// Runs the function on this thread and sets `counts` to its events. Fails if the guard's library
/// is not loaded.
template <typename Function>
testing::AssertionResult run_guarded(Function && function, GuardCounts & counts)
{
  const GuardName name("test");
  const Guard guard(name);
  if (!guard.watches()) {
    return testing::AssertionFailure()
           << "the guard is not there: link takt_rt::takt_guard, or preload libtakt_guard.so";
  }
  std::forward<Function>(function)();
  counts = guard.counts();
  return testing::AssertionSuccess();
}

/// Runs the function on this thread. Fails if the function allocated or freed memory.
template <typename Function>
testing::AssertionResult allocates_nothing(Function && function)
{
  GuardCounts counts;
  testing::AssertionResult ran = run_guarded(std::forward<Function>(function), counts);
  const auto allocations = counts.of(GuardKind::allocation);
  const auto frees = counts.of(GuardKind::free);
  if (!ran || allocations + frees == 0) {
    return ran;
  }
  return testing::AssertionFailure()
         << "it allocated " << allocations << " times and freed " << frees << " times";
}

/// Runs the function on this thread. Fails if the guard noted any event.
template <typename Function>
testing::AssertionResult is_real_time_safe(Function && function)
{
  GuardCounts counts;
  testing::AssertionResult ran = run_guarded(std::forward<Function>(function), counts);
  if (!ran || counts.all() == 0) {
    return ran;
  }
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << "it did what real-time code should not do:";
  for (std::size_t i = 0; i < kGuardKinds; ++i) {
    if (counts.counts[i] > 0) {
      failure << " " << guard_kind_name(static_cast<GuardKind>(i)) << " x " << counts.counts[i];
    }
  }
  return failure;
}

}  // namespace takt_rt

#endif  // TAKT_RT__GUARD__GTEST_HPP_
