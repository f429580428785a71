// Names and places in the account of this process.
#ifndef PLACES_HPP_
#define PLACES_HPP_

#include <cstdint>

#include "thread_state.hpp"

namespace takt_guard
{

/// The number of the name, from 1 on; 0: no room. The first one makes the account. Set-up only; may block.
std::uint32_t add_name(const char * text) noexcept;

}  // namespace takt_guard

#endif  // PLACES_HPP_
