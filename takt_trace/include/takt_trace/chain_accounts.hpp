// What became of each activation of the chains of a trace, also of those that never ended (activation_account.hpp).
//
// A trace begins and ends in the middle, and does not have all messages. Only activations count that were released while all
// processes of the chain recorded. Where the trace cannot tell how a message went on, the chain has no account.
#ifndef TAKT_TRACE__CHAIN_ACCOUNTS_HPP_
#define TAKT_TRACE__CHAIN_ACCOUNTS_HPP_

#include <optional>
#include <string>
#include <vector>

#include "takt_trace/activation_account.hpp"
#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

struct ChainAccount
{
  TracedChain chain{};
  /// Absent: the trace does not tell. `activations` has those that no chain_end record tells of.
  std::optional<ActivationAccount> account{};
  std::string why{};  ///< why it is absent
};

/// Of each chain that ends in a process of the traces. `processes` have the ends of chains that cross processes
/// (`add_chains_across_processes`); activations that these tell of have completed. `time`: in the clock of the first
/// process; absent: the time in which all processes of the chain recorded, and of the activations that ended all. Any
/// records are safe. Set-up only: allocates.
std::vector<ChainAccount> chain_accounts(
  const std::vector<ProcessTrace> & processes, const std::optional<AccountedTime> & time = {});
std::vector<ChainAccount> chain_accounts(
  const std::vector<LongTrace> & processes, const std::optional<AccountedTime> & time = {});

}  // namespace takt_trace

#endif  // TAKT_TRACE__CHAIN_ACCOUNTS_HPP_
