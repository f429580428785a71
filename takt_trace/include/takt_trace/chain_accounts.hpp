// How each activation of a trace's chains ended, including those that never completed
// (activation_account.hpp).
//
// A trace begins and ends while the program runs, and may lack messages. So an activation counts
// only if it was released while all processes of the chain recorded. If the trace does not show how
// a message went on, the chain has no account.
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

/// The account of one chain, or the reason why the trace gives none.
struct ChainAccount
{
  TracedChain chain{};
  /// Absent: the trace does not show it. `activations` are those without a chain_end record.
  std::optional<ActivationAccount> account{};
  std::string why{};  ///< why it is absent
};

/// The account of each chain that ends in a process of the traces. `processes` must have the ends
/// of chains that cross processes (`add_chains_across_processes`); activations with such an end
/// have completed. `time`: in the clock of the first process; absent: the time in which all
/// processes of the chain recorded, and for activations with an end all time. Accepts any records.
/// Set-up only: allocates.
std::vector<ChainAccount> chain_accounts(
  const std::vector<ProcessTrace> & processes, const std::optional<AccountedTime> & time = {});
std::vector<ChainAccount> chain_accounts(
  const std::vector<LongTrace> & processes, const std::optional<AccountedTime> & time = {});

}  // namespace takt_trace

#endif  // TAKT_TRACE__CHAIN_ACCOUNTS_HPP_
