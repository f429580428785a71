// Sleeps at a fixed rate, for loops outside of callbacks. (A periodic callback is a timer.)
#ifndef TAKT_RCL__RATE_HPP_
#define TAKT_RCL__RATE_HPP_

#include <memory>

#include "takt_rcl/context.hpp"
#include "takt_rcl/time.hpp"

namespace takt_rcl
{

/// On the monotonic clock. Not thread-safe.
class Rate
{
public:
  /// `context` (default: the default context) ends sleeps. Both throw `std::invalid_argument` if
  /// the rate or period is not positive.
  explicit Rate(double hertz, std::shared_ptr<Context> context = nullptr);
  explicit Rate(takt_rt::Duration period, std::shared_ptr<Context> context = nullptr);

  /// Sleeps until the next period begins. False if it has begun already (after a delay of a whole
  /// period or more, periods count from now) or the context ended. May block.
  bool sleep();
  /// The next period counts from now.
  void reset() noexcept { last_ = takt_rt::now(); }
  /// The period in nanoseconds. Real-time safe.
  Duration period() const noexcept { return period_; }

private:
  const takt_rt::Duration period_;
  const std::shared_ptr<Context> context_;
  takt_rt::Time last_ = takt_rt::now();
};

using WallRate = Rate;

}  // namespace takt_rcl

#endif  // TAKT_RCL__RATE_HPP_
