// Callbacks that follow one another in one executor, as far as observation shows it: a schedule can
// have them run by direct call (`sequences` in docs/schedule.md).
#ifndef TAKT_TRACE__SRC__MODEL__POSSIBLE_SEQUENCES_HPP_
#define TAKT_TRACE__SRC__MODEL__POSSIBLE_SEQUENCES_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// Adds a note for each list of callbacks of one executor in which each but the first gets its
/// messages from one earlier callback of the list, and from no other callback. A callback that
/// waits or sleeps within its runs ends its list: the later ones would wait with it. The note says
/// how many starts a second are then direct calls. The lists with most of them come first.
/// `callbacks` ran; those that takt ran under a schedule may be in sequences already, and have no
/// note.
void name_sequences(
  const std::vector<ObservedCallback> & callbacks, std::vector<std::string> & notes);

/// So many lists have notes of their own; one more note counts the others.
constexpr std::size_t kMostSequences = 3;

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__POSSIBLE_SEQUENCES_HPP_
