// Identifies a message by its publisher and its place in the publisher's sequence or its time of
// publication.
#ifndef TAKT_CORE__MESSAGE_KEY_HPP_
#define TAKT_CORE__MESSAGE_KEY_HPP_

#include <array>
#include <cstdint>
#include <cstring>

namespace takt_core
{

/// Names a publisher in the whole ROS graph, as the middleware does.
using Gid = std::array<std::uint8_t, 16>;

/// All functions are real-time safe; any thread.
struct MessageKey
{
  Gid publisher{};
  std::uint64_t sequence = 0;    ///< the publisher's messages count from 1; 0: unknown
  std::int64_t source_time = 0;  ///< set by the middleware, in ns since the Unix epoch; 0: unknown

  /// A number of 60 bits, never zero, for `MessageScope` and `Run::found`. A process uses one of
  /// these two functions for all its messages: the one whose input its publishers know. Two
  /// messages that wait on one topic have the same number with a probability of 1e-18; a take may
  /// then confuse them.
  std::uint64_t name_by_sequence() const noexcept { return mixed(sequence); }
  std::uint64_t name_by_time() const noexcept
  {
    return mixed(static_cast<std::uint64_t>(source_time));
  }

private:
  std::uint64_t mixed(std::uint64_t place) const noexcept
  {
    std::uint64_t halves[2];
    static_assert(sizeof(halves) == sizeof(Gid));
    std::memcpy(halves, publisher.data(), sizeof(halves));
    // The finalizer of SplitMix64 on a sum of odd multiples.
    std::uint64_t name = halves[0] * 0x9e3779b97f4a7c15U + halves[1] * 0xc2b2ae3d27d4eb4fU + place;
    name = (name ^ name >> 30) * 0xbf58476d1ce4e5b9U;
    name = (name ^ name >> 27) * 0x94d049bb133111ebU;
    name = (name ^ name >> 31) >> 4;
    return name != 0 ? name : 1;
  }
};

}  // namespace takt_core

#endif  // TAKT_CORE__MESSAGE_KEY_HPP_
