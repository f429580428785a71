// A clock for cyclic loops that a test moves.
#ifndef SUPPORT__VIRTUAL_CLOCK_HPP_
#define SUPPORT__VIRTUAL_CLOCK_HPP_

#include <cstddef>
#include <functional>
#include <utility>

#include "takt_rt/time.hpp"

namespace takt_rt::test
{

/// Time passes only while the loop sleeps: the sleep ends at the requested time plus `late` of this
/// sleep's number, counted from 0.
class VirtualClock
{
public:
  explicit VirtualClock(std::function<Duration(std::size_t)> late) : late_(std::move(late)) {}

  Time now() const noexcept { return now_; }

  void sleep_until(Time time) noexcept
  {
    const Time end = time + late_(sleeps_++);
    now_ = end > now_ ? end : now_;  // no sleep turns time back
  }

  std::size_t sleeps() const noexcept { return sleeps_; }

private:
  std::function<Duration(std::size_t)> late_;
  Time now_{};
  std::size_t sleeps_ = 0;
};

}  // namespace takt_rt::test

#endif  // SUPPORT__VIRTUAL_CLOCK_HPP_
