// Callbacks that publish right before they return, as far as observation shows it: a schedule can
// have their threads run the callbacks of their messages (`publishes_last` in docs/schedule.md).
#ifndef TAKT_TRACE__SRC__MODEL__PUBLISHING_LAST_HPP_
#define TAKT_TRACE__SRC__MODEL__PUBLISHING_LAST_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// True if at least kFewestPublishing runs published, and in all of these but one in kOneIn no
/// work followed the publishes, or little: a host may take the core within a run.
bool publishes_last(const ObservedCallback & one);

/// Adds a note for each such callback whose messages start callbacks of its own executor, if this
/// executor runs several at a time. The note says how many wake-ups a second that saves at most.
/// The ones with most wake-ups come first. Callbacks that takt ran under a schedule have no note.
void name_publishing_last(const Observation & seen, std::vector<std::string> & notes);

constexpr std::uint64_t kFewestPublishing = 10;
constexpr std::uint64_t kOneIn = 10;
/// So many have notes of their own; one more note counts the others.
constexpr std::size_t kMostPublishingLast = 3;

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__PUBLISHING_LAST_HPP_
