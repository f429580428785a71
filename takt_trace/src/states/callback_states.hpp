// The states of each callback of a process over time: waiting messages, priority, overwritten
// messages.
#ifndef TAKT_TRACE__SRC__STATES__CALLBACK_STATES_HPP_
#define TAKT_TRACE__SRC__STATES__CALLBACK_STATES_HPP_

#include <cstddef>
#include <cstdint>

#include "takt_trace/long_trace.hpp"

namespace takt_trace::detail
{

/// A record of kind callback_state.
struct PlacedState
{
  std::uint32_t callback = 0;
  std::size_t thread = 0;
  std::int64_t time = 0;
  std::int64_t waiting = 0;
  std::int64_t priority = 0;
  std::int64_t overwritten = 0;        ///< since the start
  std::int64_t newly_overwritten = 0;  ///< since the previous state; 0 for the first
};

/// By callback, then by time. Allocates; O(records log records).
LongVector<PlacedState> callback_states(const LongTrace & process);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__STATES__CALLBACK_STATES_HPP_
