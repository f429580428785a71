#include "takt_trace/chain_accounts.hpp"

#include "flow/chain_accountant.hpp"
#include "report/activations.hpp"

namespace takt_trace
{

std::vector<ChainAccount> chain_accounts(
  const std::vector<LongTrace> & processes, const std::optional<AccountedTime> & time)
{
  const detail::RunIndex index(processes);
  const detail::ChainAccountant accountant(index);
  std::vector<ChainAccount> all;
  for (const detail::ChainActivations & chain : detail::find_activations(index)) {
    all.push_back(accountant.account(chain.chain, told_of(chain), time));
  }
  return all;
}

std::vector<ChainAccount> chain_accounts(
  const std::vector<ProcessTrace> & processes, const std::optional<AccountedTime> & time)
{
  return chain_accounts(borrowed(processes), time);
}

}  // namespace takt_trace
