// The order among ready callbacks.
#ifndef TAKT_CORE__DETAIL__PRECEDENCE_HPP_
#define TAKT_CORE__DETAIL__PRECEDENCE_HPP_

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_core
{

using takt_rt::Time;

/// A callback's place among the ready callbacks: the smaller key first, then the earlier release,
/// then the earlier announcement. (Timers that become due while all threads are busy are announced
/// late, so the order of announcements is not that of releases.)
struct Precedence
{
  std::uint64_t key = 0;
  Time release{};
  std::uint64_t sequence = 0;

  bool before(const Precedence & other) const noexcept
  {
    return key != other.key           ? key < other.key
           : release != other.release ? release < other.release
                                      : sequence < other.sequence;
  }
};

}  // namespace takt_core

#endif  // TAKT_CORE__DETAIL__PRECEDENCE_HPP_
