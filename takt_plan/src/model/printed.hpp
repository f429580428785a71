// Times in messages and tables.
#ifndef TAKT_PLAN__SRC__PRINTED_HPP_
#define TAKT_PLAN__SRC__PRINTED_HPP_

#include <string>

#include "takt_plan/nanoseconds.hpp"
#include "takt_schedule/duration.hpp"

namespace takt_plan::detail
{

/// "18.8ms"; every digit that counts.
inline std::string printed(Ns time)
{
  return takt_schedule::print_duration(takt_rt::Duration(time));
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRINTED_HPP_
