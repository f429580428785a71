// The message counts of a callback. Plain values.
#ifndef TAKT_CORE__MESSAGE_COUNTS_HPP_
#define TAKT_CORE__MESSAGE_COUNTS_HPP_

#include <cstdint>

namespace takt_core
{

/// Counts of one callback's messages at one moment.
struct MessageCounts
{
  std::uint64_t waiting = 0;      ///< announced and not yet taken, at most the history
  std::uint64_t overwritten = 0;  ///< the history overwrote them before their take
  std::uint32_t history = 1;      ///< messages that the middleware keeps; kKeepsAll: no limit
  std::uint64_t arrivals = 0;     ///< announced so far

  static constexpr std::uint32_t kKeepsAll = UINT32_MAX;
};

}  // namespace takt_core

#endif  // TAKT_CORE__MESSAGE_COUNTS_HPP_
