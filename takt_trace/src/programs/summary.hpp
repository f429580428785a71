// The figures of a trace that `takt_trace convert` tells.
#ifndef TAKT_TRACE__SRC__PROGRAMS__SUMMARY_HPP_
#define TAKT_TRACE__SRC__PROGRAMS__SUMMARY_HPP_

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "takt_trace/long_trace.hpp"

namespace takt_trace
{

/// Set-up only: allocates.
nlohmann::json summary(const std::vector<LongTrace> & traces);

/// Of a summary: a line on the stalls that the trace has; empty if nothing watched for them.
std::string stall_sentence(const nlohmann::json & summary);

/// Of a summary: a line on how well the clocks of several hosts agree; empty for one host.
std::string clock_sentence(const nlohmann::json & summary);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__PROGRAMS__SUMMARY_HPP_
