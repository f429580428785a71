// For tests with GoogleTest: code that must not allocate, or must do nothing that real-time code should not do.
//
//     controller.update();  // the first run touches its memory and binds its symbols
//     EXPECT_TRUE(takt_rt::allocates_nothing([&] { controller.update(); }));
//     EXPECT_TRUE(takt_rt::is_real_time_safe([&] { controller.update(); }));
//
// The test program links takt_rt::takt_guard, or runs with libtakt_guard.so preloaded; without the library both fail.
// Under the address and thread sanitizers, which replace the same functions, allocations are not seen.
#ifndef TAKT_RT__GUARD__GTEST_HPP_
#define TAKT_RT__GUARD__GTEST_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "takt_rt/guard/guard.hpp"

namespace takt_rt
{

/// What the function did on this thread, or a failure that says that the guard is not there.
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

/// Runs the function on this thread. Fails if it allocated or freed memory of the heap.
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

/// Runs the function on this thread. Fails if the guard noted anything.
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
