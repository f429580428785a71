// Finds nodes that fuse topics: several subscriptions, where the run that completes a set of
// messages publishes.
#ifndef TAKT_TRACE__SRC__MODEL__MESSAGE_SETS_HPP_
#define TAKT_TRACE__SRC__MODEL__MESSAGE_SETS_HPP_

#include <set>
#include <string>
#include <vector>

#include "model/observed_callback.hpp"

namespace takt_trace
{

/// Joins subscriptions of one executor and group that publish a topic in turns into one entry with
/// `trigger: newest`. Only subscriptions whose topics are `inside`, that is, published by observed
/// callbacks: a set has no period of its own. Also joins a subscription that never publishes, if a
/// chain continues from it with a message that another subscription of its node and group
/// publishes. Adds a note for each subscription that may be part of a set whose other messages
/// always came later.
void join_sets(
  std::vector<ObservedCallback> & callbacks, const std::set<std::string> & inside,
  const std::vector<takt_schedule::ChainSchedule> & chains, std::vector<std::string> & notes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__MESSAGE_SETS_HPP_
