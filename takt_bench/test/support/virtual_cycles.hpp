// A clock for cyclic loops that a test moves, and an account of waiting that a test writes.
#ifndef SUPPORT__VIRTUAL_CYCLES_HPP_
#define SUPPORT__VIRTUAL_CYCLES_HPP_

#include <functional>
#include <utility>
#include <vector>

#include "takt_rt/time.hpp"

namespace takt_bench::latency::test
{

/// Time passes only while the loop sleeps: the sleep ends at the asked time plus what `late` says of this
/// sleep, counted from 0.
class VirtualClock
{
public:
  explicit VirtualClock(std::function<takt_rt::Duration(std::size_t)> late) : late_(std::move(late))
  {
  }

  takt_rt::Time now() const noexcept { return now_; }

  void sleep_until(takt_rt::Time time) noexcept
  {
    const takt_rt::Time end = time + late_(sleeps_++);
    now_ = end > now_ ? end : now_;  // no sleep turns time back
  }

  std::size_t sleeps() const noexcept { return sleeps_; }

private:
  std::function<takt_rt::Duration(std::size_t)> late_;
  takt_rt::Time now_{};
  std::size_t sleeps_ = 0;
};

/// As takt_rt::ReadyTime: a test adds to `waited`.
struct VirtualAccount
{
  takt_rt::Duration waited{};
  bool kept = true;
  std::size_t readings = 0;

  takt_rt::Duration read() noexcept
  {
    ++readings;
    return kept ? waited : takt_rt::Duration{};
  }
  bool counted() const noexcept { return kept; }
};

}  // namespace takt_bench::latency::test

#endif  // SUPPORT__VIRTUAL_CYCLES_HPP_
