// Proposes chains for an observed system: every path from a timer or an external message to a
// callback whose messages no callback takes.
#ifndef TAKT_TRACE__SRC__MODEL__PROPOSED_CHAINS_HPP_
#define TAKT_TRACE__SRC__MODEL__PROPOSED_CHAINS_HPP_

#include <string>
#include <vector>

#include "takt_schedule/system.hpp"

namespace takt_trace
{

/// Sorted by the periods of their roots, the shortest first, without priority and deadline. If
/// there are too many, returns the first and adds a note.
std::vector<takt_schedule::ChainSchedule> propose_chains(
  const takt_schedule::System & system, std::vector<std::string> & notes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__PROPOSED_CHAINS_HPP_
