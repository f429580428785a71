// Activations of chains that cross processes, or executors of one process: found from the flow of messages.
//
// An executor tells where an activation ends that began in it, also through joins. Otherwise only messages
// tell it: from the run of a chain's last callback back to the run that published what it took, and so on to the
// chain's root. Where a node fuses messages another callback of the node may have published; the message of the chain
// is then that of the chain's callback's last run before. A chain that is read on by a timer has no activations here:
// the timer takes no message.
#ifndef TAKT_TRACE__CHAIN_FLOW_HPP_
#define TAKT_TRACE__CHAIN_FLOW_HPP_

#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// Adds a `chain_end` record to the last run of each activation that began in another executor, in the clock of the
/// process where it ends. Of several runs that end one activation the first counts. Set-up only: allocates.
void add_chains_across_processes(std::vector<ProcessTrace> & processes);
void add_chains_across_processes(std::vector<LongTrace> & processes);

/// Of several runs that end one activation the first counts: removes the `chain_end` records of the others.
void keep_first_ends(LongTrace & trace);

}  // namespace takt_trace

#endif  // TAKT_TRACE__CHAIN_FLOW_HPP_
