// The time that the host took from the activations of a report.
#ifndef TAKT_TRACE__SRC__REPORT__HOST_STALLS_JSON_HPP_
#define TAKT_TRACE__SRC__REPORT__HOST_STALLS_JSON_HPP_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "flow/run_index.hpp"

namespace takt_trace::detail
{

/// Adds the list `host_stalls` to the document, and `host_stall_ns` to each of the longest
/// activations: the time within it in which the host had at least one core of the hosts of its
/// steps. Both are null if no process watched for stalls. Allocates; does not block.
void add_host_stalls(const RunIndex & index, std::int64_t began, nlohmann::ordered_json & document);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__HOST_STALLS_JSON_HPP_
