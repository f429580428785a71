#include "takt_rt/tai_clock.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace takt_rt
{

namespace
{

constexpr std::int64_t kNoDistance = std::numeric_limits<std::int64_t>::min();
std::atomic<std::int64_t> g_distance{kNoDistance};

std::int64_t read_tai() noexcept
{
  timespec time{};
  ::clock_gettime(CLOCK_TAI, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Duration tai_ahead() noexcept
{
  constexpr int kTries = 5;
  constexpr std::int64_t kClose = 1'000;  // largest distance of two reads without a delay between
                                          // them
  constexpr std::int64_t kSame = 20'000;  // setting a clock moves it by more
  std::int64_t best = 0;
  std::int64_t doubt = std::numeric_limits<std::int64_t>::max();
  for (int tries = 0; tries < kTries && doubt > kClose; ++tries) {
    const std::int64_t before = to_ns(now());
    const std::int64_t tai = read_tai();
    const std::int64_t after = to_ns(now());
    if (after - before < doubt) {
      doubt = after - before;
      best = tai - before - doubt / 2;
    }
  }
  const std::int64_t last = g_distance.load(std::memory_order_relaxed);
  if (
    last != kNoDistance && std::max(best, last) - std::min(best, last) <= std::max(doubt, kSame)) {
    return Duration{last};
  }
  g_distance.store(best, std::memory_order_relaxed);
  return Duration{best};
}

}  // namespace takt_rt
