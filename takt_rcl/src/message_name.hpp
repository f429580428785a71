// The name under which a message's arrival and its take are brought together: takt_core's MessageScope.
#ifndef MESSAGE_NAME_HPP_
#define MESSAGE_NAME_HPP_

#include <cstdint>
#include <cstring>

#include "takt_rcl/message_info.hpp"

namespace takt_rcl
{

/// Mixed from publisher and sequence number, in 60 bits, never zero. Two messages that wait on one
/// topic at once have the same name with a probability of 1e-18; then one of them may be taken for the
/// other. Real-time safe.
inline std::uint64_t message_name(const Gid & publisher, std::uint64_t sequence) noexcept
{
  std::uint64_t halves[2];
  static_assert(sizeof(halves) == sizeof(Gid));
  std::memcpy(halves, publisher.data(), sizeof(halves));
  // The finalizer of SplitMix64 on a sum of odd multiples.
  std::uint64_t name = halves[0] * 0x9e3779b97f4a7c15U + halves[1] * 0xc2b2ae3d27d4eb4fU + sequence;
  name = (name ^ name >> 30) * 0xbf58476d1ce4e5b9U;
  name = (name ^ name >> 27) * 0x94d049bb133111ebU;
  name = (name ^ name >> 31) >> 4;
  return name != 0 ? name : 1;
}

}  // namespace takt_rcl

#endif  // MESSAGE_NAME_HPP_
