// Sets offsets of the model's timers from the observed phases.
//
// If takt chose the phase of a timer whose releases lie on one grid, the timer gets the observed
// offset. The offset counts from the host's clock if several processes have timers, as plans for
// several processes do; otherwise from the earliest timer. If the program's start determined the
// phase, it changes with the next start: the model has no offset, and a schedule may give one. A
// timer that left its grid, or was stopped, may have any phase under every schedule, and the model
// says so.
#ifndef TAKT_TRACE__SRC__MODEL__OBSERVED_PHASES_HPP_
#define TAKT_TRACE__SRC__MODEL__OBSERVED_PHASES_HPP_

#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// Sets offset and jitter of timers, and adds warnings about phases to their caveats. For callbacks
/// that ran; call it before `describe`.
void set_phases(Observation & seen, std::vector<std::string> & notes);

/// Facts about the phase of external messages, as "; a; b"; empty: unknown.
std::string phase_of_messages(const ObservedCallback & one);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__OBSERVED_PHASES_HPP_
