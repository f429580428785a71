// Subscriptions that only store messages for others, as far as observation shows it: a schedule can
// have them wake nothing (`trigger: false` in docs/schedule.md).
#ifndef TAKT_TRACE__SRC__MODEL__STORING_CALLBACKS_HPP_
#define TAKT_TRACE__SRC__MODEL__STORING_CALLBACKS_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// Adds a note for each subscription that published nothing, waited for nothing and never ran
/// longer than kLongestStore, if another callback of its group would take its messages. The note
/// says how many wake-ups a second that saves at most: it ran so often, and a message that wakes
/// nothing waits for a run that is there already. The ones with most wake-ups come first.
/// `callbacks` have the groups of the program, and ran.
void name_storing(
  const std::vector<ObservedCallback> & callbacks, std::vector<std::string> & notes);

/// Longest CPU time of a run, in ns: the taker takes so much longer for each message.
constexpr std::int64_t kLongestStore = 100'000;
/// So many have notes of their own; one more note counts the others.
constexpr std::size_t kMostStoring = 5;

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__STORING_CALLBACKS_HPP_
