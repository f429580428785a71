// The account of one chain of a trace (takt_trace/chain_accounts.hpp).
#ifndef TAKT_TRACE__SRC__FLOW__CHAIN_ACCOUNTANT_HPP_
#define TAKT_TRACE__SRC__FLOW__CHAIN_ACCOUNTANT_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flow/run_index.hpp"
#include "flow/traced_flow.hpp"
#include "takt_trace/chain_accounts.hpp"

namespace takt_trace::detail
{

/// An activation with a chain_end record.
struct ToldActivation
{
  std::int64_t release = 0;
  std::int64_t end = 0;
};

class ChainAccountant
{
public:
  /// The index must outlive it.
  explicit ChainAccountant(const RunIndex & index) : index_(index), flow_(index) {}

  ChainAccount account(
    const TracedChain & chain, const LongVector<ToldActivation> & told,
    const std::optional<AccountedTime> & time = {}) const;

  const TracedFlow & flow() const { return flow_; }

private:
  using Path = std::vector<const FlowingCallback *>;

  /// Why the trace does not show how the activations of the path went; empty: it does.
  std::string why_not(const Path & path) const;
  std::string why_not(const FlowingCallback & from, const FlowingCallback & to) const;
  bool passes_within_process(const FlowingCallback & from, const FlowingCallback & to) const;
  AccountedTime recorded_by_all(const Path & path) const;
  UnstartedReleases unstarted(const FlowingCallback & root, const AccountedTime & time) const;

  const RunIndex & index_;
  const TracedFlow flow_;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__FLOW__CHAIN_ACCOUNTANT_HPP_
