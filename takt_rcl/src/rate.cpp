#include "takt_rcl/rate.hpp"

#include <stdexcept>
#include <utility>

namespace takt_rcl
{

namespace
{

takt_rt::Duration period_of(double hertz)
{
  // Also rejects nan, and a period that no clock can count.
  if (!(hertz > 1e-9)) {
    throw std::invalid_argument("a rate must be positive");
  }
  return Duration::from_seconds(1.0 / hertz);
}

}  // namespace

Rate::Rate(double hertz, std::shared_ptr<Context> context)
: Rate(period_of(hertz), std::move(context))
{
}

Rate::Rate(takt_rt::Duration period, std::shared_ptr<Context> context)
: period_(period),
  context_(context != nullptr ? std::move(context) : default_context())
{
  if (period <= takt_rt::Duration::zero()) {
    throw std::invalid_argument("a rate's period must be positive");
  }
}

bool Rate::sleep()
{
  const takt_rt::Time now = takt_rt::now();
  last_ += period_;
  if (last_ <= now) {
    if (now - last_ > period_) {
      last_ = now;
    }
    return false;
  }
  return sleep_for(last_ - now, context_);
}

}  // namespace takt_rcl
