// The number of slots of a ring, a power of two so that a mask finds the slot of an index.
#ifndef TAKT_RT__DETAIL__RING_SIZE_HPP_
#define TAKT_RT__DETAIL__RING_SIZE_HPP_

#include <cstdint>

namespace takt_rt::detail
{

/// The smallest power of two that is at least `capacity` and at least `least`. Real-time safe.
constexpr std::uint64_t slots_for(std::uint64_t capacity, std::uint64_t least = 1) noexcept
{
  std::uint64_t slots = least;
  while (slots < capacity) {
    slots *= 2;
  }
  return slots;
}

}  // namespace takt_rt::detail

#endif  // TAKT_RT__DETAIL__RING_SIZE_HPP_
