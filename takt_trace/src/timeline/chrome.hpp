// Writes a trace as JSON for chrome://tracing, Perfetto's importer, jq and pandas ("Trace Event
// Format").
#ifndef TAKT_TRACE__SRC__TIMELINE__CHROME_HPP_
#define TAKT_TRACE__SRC__TIMELINE__CHROME_HPP_

#include <iosfwd>
#include <string>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// See `perfetto_trace`; times are microseconds with three decimals. With several hosts they count
/// from `otherData.origin_ns`, the second of the first event, because readers' doubles cannot
/// resolve the nanoseconds of a date.
std::string chrome_trace(const std::vector<ProcessTrace> & processes);
/// The same, written piece by piece. May block.
void write_chrome_trace(const std::vector<ProcessTrace> & processes, std::ostream & out);
void write_chrome_trace(const std::vector<LongTrace> & processes, std::ostream & out);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__TIMELINE__CHROME_HPP_
