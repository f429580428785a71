// The document of `takt_trace report`: where the response time of each chain went, in figures.
#ifndef TAKT_TRACE__SRC__REPORT__RESPONSE_REPORT_HPP_
#define TAKT_TRACE__SRC__REPORT__RESPONSE_REPORT_HPP_

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// The document; docs/trace.md describes it. `processes` must have the ends of chains that cross
/// processes (`add_chains_across_processes`). Times are nanoseconds of the first process's
/// CLOCK_MONOTONIC; times of events count from `began_ns`. Accepts any records. Set-up only:
/// allocates; does not block.
nlohmann::ordered_json response_report(const std::vector<LongTrace> & processes);
nlohmann::ordered_json response_report(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__REPORT__RESPONSE_REPORT_HPP_
