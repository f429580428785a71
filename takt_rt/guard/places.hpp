// Names of scopes, and waits of one scope for another, in the account of this process.
#ifndef PLACES_HPP_
#define PLACES_HPP_

#include <cstdint>

#include "thread_state.hpp"

namespace takt_guard
{

/// Returns the number of the name, from 1 on; 0: there is no room. The first call makes the
/// account. Set-up only; may block.
std::uint32_t add_name(const char * text) noexcept;

/// See GuardInterface::note_block.
int note_block(
  std::uint32_t thread, std::uint32_t awaited, takt_rt::GuardedBlock::Why why) noexcept;

}  // namespace takt_guard

#endif  // PLACES_HPP_
