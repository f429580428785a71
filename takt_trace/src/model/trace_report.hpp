// Makes reports from traces, in the form of the reports of adopted executors, so that one code
// makes models from both (observed_system.hpp).
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

/// {"version": 1, "executors": [...]}: callbacks with their runs, times and topics. CPU times if
/// they were recorded, else the times from start to end. Periods of timers are those of their
/// nominal releases. The times must be possible (see `impossible_time`). Set-up only: allocates.
nlohmann::ordered_json trace_report(const std::vector<LongTrace> & processes);
nlohmann::ordered_json trace_report(const std::vector<ProcessTrace> & processes);

/// Why a report cannot be made: a time that no computer's clock has. Empty: all times are possible.
std::string impossible_time(const std::vector<LongTrace> & processes);
std::string impossible_time(const std::vector<ProcessTrace> & processes);

/// True if all runs of the traces have CPU times. Runs that were picked before the recording began
/// do not count.
bool has_cpu_times(const std::vector<LongTrace> & processes);
bool has_cpu_times(const std::vector<ProcessTrace> & processes);

/// The same for the kernel's counters.
bool has_kernel_waits(const std::vector<LongTrace> & processes);
bool has_kernel_waits(const std::vector<ProcessTrace> & processes);

/// The longest time of a message from its publish in one process to its arrival in another process
/// of the host; absent: no such message.
std::optional<takt_rt::Duration> longest_under_way(const std::vector<LongTrace> & processes);
std::optional<takt_rt::Duration> longest_under_way(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__MODEL__TRACE_REPORT_HPP_
