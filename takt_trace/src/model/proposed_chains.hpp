// Chains of an observed system: every path from a timer, or from a message from outside, to a callback whose
// messages nobody takes.
#ifndef TAKT_TRACE__SRC__MODEL__PROPOSED_CHAINS_HPP_
#define TAKT_TRACE__SRC__MODEL__PROPOSED_CHAINS_HPP_

#include <string>
#include <vector>

#include "takt_schedule/system.hpp"

namespace takt_trace
{

/// By the periods of their roots, the shortest first, without priority and deadline. Of very many the first;
/// then a note says so.
std::vector<takt_schedule::ChainSchedule> propose_chains(
  const takt_schedule::System & system, std::vector<std::string> & notes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__PROPOSED_CHAINS_HPP_
