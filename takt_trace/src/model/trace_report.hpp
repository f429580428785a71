// What traces tell of each callback, in the shape of the reports of adopted executors: the model of both is made alike
// (observed_system.hpp).
#ifndef TAKT_TRACE__SRC__MODEL__TRACE_REPORT_HPP_
#define TAKT_TRACE__SRC__MODEL__TRACE_REPORT_HPP_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "takt_rt/time.hpp"
#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// {"version": 1, "executors": [...]}: callbacks with their runs, times and topics. CPU times where they were recorded, else
/// the times from start to end. Periods of timers are those of their nominal releases. Set-up only: allocates.
/// The times must be possible.
nlohmann::ordered_json trace_report(const std::vector<LongTrace> & processes);
nlohmann::ordered_json trace_report(const std::vector<ProcessTrace> & processes);

/// Why there is no report of these: a time that no computer's clock has. Empty: all are possible.
std::string impossible_time(const std::vector<LongTrace> & processes);
std::string impossible_time(const std::vector<ProcessTrace> & processes);

/// Whether the runs of the traces have CPU times; false if they have in part. A run that was picked before the recording
/// began does not count.
bool has_cpu_times(const std::vector<LongTrace> & processes);
bool has_cpu_times(const std::vector<ProcessTrace> & processes);

/// Likewise, of the kernel's counters.
bool has_kernel_waits(const std::vector<LongTrace> & processes);
bool has_kernel_waits(const std::vector<ProcessTrace> & processes);

/// The longest time that a message of one process was under way to another process of the host, from its publish to its
/// arrival; absent: no message was.
std::optional<takt_rt::Duration> longest_under_way(const std::vector<LongTrace> & processes);
std::optional<takt_rt::Duration> longest_under_way(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__TRACE_REPORT_HPP_
