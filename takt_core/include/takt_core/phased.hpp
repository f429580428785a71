// Whether bounds rest on a callback's phase.
#ifndef TAKT_CORE__PHASED_HPP_
#define TAKT_CORE__PHASED_HPP_

#include <cstdint>

namespace takt_core
{

/// The effect of a disturbed callback on the sets of messages downstream.
enum class Phased : std::uint8_t
{
  no,        ///< no bound rests on the callback's phase
  settles,   ///< the sets are in step again after a while
  for_good,  ///< a set takes other messages until a new start
};

}  // namespace takt_core

#endif  // TAKT_CORE__PHASED_HPP_
