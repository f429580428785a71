// The state of an executor's phases, for documents of a process: whether the bounds that rest on
// phases hold.
//
// Header-only, for both kinds of nlohmann's JSON. Set-up only: allocates.
#ifndef TAKT_CONTROL__PHASE_STATE_JSON_HPP_
#define TAKT_CONTROL__PHASE_STATE_JSON_HPP_

#include <algorithm>
#include <optional>
#include <string_view>

#include "takt_core/clock/phases.hpp"

namespace takt_control
{

/// Whether the bounds hold: "yes", "settling", "after a new start", or "unknown" if the schedule
/// does not say when they hold again.
inline std::string_view bounds_hold(const takt_core::PhaseState & state, takt_rt::Time now)
{
  return !state.holds_from                      ? "unknown"
         : state.holds(now)                     ? "yes"
         : *state.holds_from == takt_rt::kNever ? "after a new start"
                                                : "settling";
}

/// Null if the executor's schedule has no offsets, or if its timers have not begun.
template <typename Json>
Json phase_state_json(const std::optional<takt_core::PhaseState> & state, takt_rt::Time now)
{
  if (!state || !state->started) {
    return nullptr;
  }
  Json json{
    {"disturbances", state->disturbances},
    {"bounds_hold", bounds_hold(*state, now)},
    {"last", nullptr}};
  const bool waits = state->holds_from && *state->holds_from != takt_rt::kNever;
  json["holds_in_ns"] =
    waits ? Json((std::max(*state->holds_from, now) - now).count()) : Json(nullptr);
  if (state->last) {
    json["last"] = {
      {"cause", to_string(state->last->cause)},
      {"callback", state->last->callback},
      // The state may be a moment younger than `now`.
      {"ago_ns", std::max(now - state->last->time, takt_rt::Duration::zero()).count()}};
  }
  return json;
}

}  // namespace takt_control

#endif  // TAKT_CONTROL__PHASE_STATE_JSON_HPP_
