// The figures of a trace that `takt_trace convert` prints.
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

/// A line about the stalls in a summary; empty if no process watched for them.
std::string stall_sentence(const nlohmann::json & summary);

/// A line about the agreement of the clocks of several hosts in a summary; empty for one host.
std::string clock_sentence(const nlohmann::json & summary);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__PROGRAMS__SUMMARY_HPP_
