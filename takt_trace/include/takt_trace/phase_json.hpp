// A timer's phase in reports; null if it has none.
//
// Header-only. Set-up only: allocates.
#ifndef TAKT_TRACE__PHASE_JSON_HPP_
#define TAKT_TRACE__PHASE_JSON_HPP_

#include <cstdint>
#include <nlohmann/json.hpp>

#include "takt_trace/release_phase.hpp"

namespace takt_trace
{

/// The phase as an object with times in nanoseconds.
inline nlohmann::ordered_json phase_json(const ReleasePhase & phase)
{
  if (phase.count == 0) {
    return nullptr;
  }
  return {
    {"releases", phase.count},
    {"first_ns", phase.first},
    {"last_ns", phase.last},
    {"early_ns", phase.early},
    {"late_ns", phase.late}};
}

/// Throws as nlohmann's `at` does.
inline ReleasePhase read_phase(const nlohmann::ordered_json & json)
{
  ReleasePhase phase;
  if (!json.is_null()) {
    json.at("releases").get_to(phase.count);
    json.at("first_ns").get_to(phase.first);
    json.at("last_ns").get_to(phase.last);
    json.at("early_ns").get_to(phase.early);
    json.at("late_ns").get_to(phase.late);
  }
  return phase;
}

}  // namespace takt_trace

#endif  // TAKT_TRACE__PHASE_JSON_HPP_
