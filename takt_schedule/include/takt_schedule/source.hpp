// Places in files. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__SOURCE_HPP_
#define TAKT_SCHEDULE__SOURCE_HPP_

#include <string>
#include <string_view>

#include "takt_rt/fault.hpp"

namespace takt_schedule
{

/// Where something was written, and what `to_yaml` shall write above it. No part of what a schedule
/// says: always equal.
struct Source
{
  int line = 0;    ///< from 1; 0: not from a file
  int column = 0;  ///< from 1
  std::string comment{};
  friend bool operator==(const Source &, const Source &) noexcept { return true; }
};

/// The fault with its place in a file: every fault and warning about a schedule has one. Printed as
/// "FILE:LINE:COL: what".
takt_rt::Fault located(std::string_view file, const Source & source, takt_rt::Fault what);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SOURCE_HPP_
