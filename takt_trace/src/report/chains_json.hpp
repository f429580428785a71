// The chains of a report: their response times, where the time went, and the worst activations.
#ifndef TAKT_TRACE__SRC__REPORT__CHAINS_JSON_HPP_
#define TAKT_TRACE__SRC__REPORT__CHAINS_JSON_HPP_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "flow/run_index.hpp"

namespace takt_trace::detail
{

/// A list; times of events count from `began` of the shared clock. Allocates.
nlohmann::ordered_json chains_json(const RunIndex & index, std::int64_t began);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__CHAINS_JSON_HPP_
