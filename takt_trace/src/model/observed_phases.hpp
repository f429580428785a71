// Offsets of the model's timers, from the phases that were seen.
//
// Where takt decided the phase of a timer whose releases lie on one grid, the timer gets the offset that was seen: to the
// host's clock where several processes have timers, as plans for several processes count from there; else to the earliest
// timer. Where the start of the program decided it, it is another one after the next start: the model has no offset, and
// a schedule may give it one. A timer that left its grid, or was stopped, has any phase under every schedule, and the
// model says so.
#ifndef TAKT_TRACE__SRC__MODEL__OBSERVED_PHASES_HPP_
#define TAKT_TRACE__SRC__MODEL__OBSERVED_PHASES_HPP_

#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// Sets offset and jitter of timers, and tells of phases in their caveats. Of callbacks that ran, before `describe`.
void set_phases(Observation & seen, std::vector<std::string> & notes);

/// What is known of the phase of messages from outside, as "; a; b"; empty: nothing.
std::string phase_of_messages(const ObservedCallback & one);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__OBSERVED_PHASES_HPP_
