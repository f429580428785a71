// Places in files. Set-up only: allocates, does not block.
#ifndef TAKT_SCHEDULE__SOURCE_HPP_
#define TAKT_SCHEDULE__SOURCE_HPP_

#include <string>
#include <string_view>

#include "takt_rt/fault.hpp"

namespace takt_schedule
{

/// The place of an entry, and the comment that `to_yaml` writes above it. Not part of a schedule's
/// content: always equal.
struct Source
{
  int line = 0;    ///< from 1; 0: not read from a file
  int column = 0;  ///< from 1
  std::string comment{};
  friend bool operator==(const Source &, const Source &) noexcept { return true; }
};

/// Adds the place in a file to a fault: every fault and warning about a schedule has one. Printed
/// as "FILE:LINE:COL: what".
takt_rt::Fault located(std::string_view file, const Source & source, takt_rt::Fault what);

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__SOURCE_HPP_
