// The account of a chain's activations in the document of `takt_trace report`; docs/trace.md
// describes it.
#ifndef TAKT_TRACE__SRC__REPORT__ACCOUNT_JSON_HPP_
#define TAKT_TRACE__SRC__REPORT__ACCOUNT_JSON_HPP_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "flow/traced_flow.hpp"
#include "takt_trace/chain_accounts.hpp"

namespace takt_trace::detail
{

/// The number of activations for each way to end; all documents on accounts have it.
nlohmann::ordered_json account_counts_json(const ActivationAccount & account);

/// The keys `account` and `account_why`. Times count from `began`. `flow`: the source of the
/// account.
nlohmann::ordered_json account_json(
  const ChainAccount & chain, const TracedFlow & flow, std::int64_t began);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__ACCOUNT_JSON_HPP_
