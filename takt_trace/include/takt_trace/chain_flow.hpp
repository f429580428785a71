// Finds activations of chains that cross processes, or executors of one process, from the flow of
// messages.
//
// An executor records the end of an activation that began in it, also through joins. Otherwise only
// messages show it: from the run of a chain's last callback back to the run that published its
// message, and so on to the chain's root. In a node that fuses messages another callback of the
// node may have published; then the chain goes back to the last earlier run of the chain's own
// callback. A chain in which a timer reads the value of another callback has no activations here,
// because the timer takes no message.
#ifndef TAKT_TRACE__CHAIN_FLOW_HPP_
#define TAKT_TRACE__CHAIN_FLOW_HPP_

#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// Adds a `chain_end` record to the last run of each activation that began in another executor, in
/// the clock of the process where it ends. If several runs end one activation, the first counts.
/// Set-up only: allocates.
void add_chains_across_processes(std::vector<ProcessTrace> & processes);
void add_chains_across_processes(std::vector<LongTrace> & processes);

/// Keeps only the first `chain_end` record of each activation.
void keep_first_ends(LongTrace & trace);

}  // namespace takt_trace

#endif  // TAKT_TRACE__CHAIN_FLOW_HPP_
