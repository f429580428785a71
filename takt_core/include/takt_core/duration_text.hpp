// Durations as people write them. Set-up only: allocates.
#ifndef TAKT_CORE__DURATION_TEXT_HPP_
#define TAKT_CORE__DURATION_TEXT_HPP_

#include <string>

#include "takt_core/time.hpp"

namespace takt_core
{

/// In the largest of s, ms, us, ns that gives a number of at least one, with every digit that counts:
/// "100ms", "2.5us", "90s", "0s", "-5ms".
std::string print_duration(Duration duration);

}  // namespace takt_core

#endif  // TAKT_CORE__DURATION_TEXT_HPP_
