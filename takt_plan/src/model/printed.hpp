// Prints times for messages and tables.
#ifndef TAKT_PLAN__SRC__PRINTED_HPP_
#define TAKT_PLAN__SRC__PRINTED_HPP_

#include <string>

#include "takt_plan/nanoseconds.hpp"
#include "takt_schedule/duration.hpp"

namespace takt_plan::detail
{

/// "18.8ms", with all significant digits.
inline std::string printed(Ns time)
{
  return takt_schedule::print_duration(takt_rt::Duration(time));
}

/// The steps of times in tables.
inline Ns table_step(Ns time)
{
  return time >= 1'000'000 ? 10'000 : time >= 100'000 ? 1'000 : 1;
}

/// For tables: not below the time, and less than 1 % above it. Rounds up to steps of 10 us from 1
/// ms on, and of 1 us from 100 us on.
inline std::string printed_up(Ns time)
{
  const Ns step = table_step(time);
  return printed(time > kUnbounded - step ? time : (time + step - 1) / step * step);
}

/// For tables: not above the time, in the same steps.
inline std::string printed_down(Ns time)
{
  const Ns step = table_step(time);
  return printed(time / step * step);
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRINTED_HPP_
