// Nodes that fuse topics: several subscriptions, of which the run that completes a set of messages publishes.
#ifndef EXEC__MESSAGE_SETS_HPP_
#define EXEC__MESSAGE_SETS_HPP_

#include <set>
#include <string>
#include <vector>

#include "exec/observed_callback.hpp"

namespace takt_exec
{

/// Replaces the subscriptions of one executor and group that publish a topic in turns by one entry with
/// `trigger: newest`. Only those whose topics are `inside`, published by observed callbacks: a set has no
/// period of its own.
void join_sets(std::vector<ObservedCallback> & callbacks, const std::set<std::string> & inside);

}  // namespace takt_exec

#endif  // EXEC__MESSAGE_SETS_HPP_
