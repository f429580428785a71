// Offsets of the model's timers, from the phases that were seen.
//
// A timer whose releases lie on one grid gets an offset. Where takt ran the program, it is the one that was seen: to the
// host's clock where several processes have timers, as plans for several processes count from there; else to the earliest
// timer. Where rclcpp ran it, the phase depends on when the program made the timer, and is another one after the next
// start; there the offset is zero: what takt gives a timer under a schedule that says so, and a plan may say another.
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
