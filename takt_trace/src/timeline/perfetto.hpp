// Writes a Perfetto trace of one or several processes, for the Perfetto UI (ui.perfetto.dev) and
// trace_processor.
//
// - One group of tracks for each process, with a track for each thread: runs of callbacks as
//   slices, the program's own spans inside them, instants, and slices that were told afterwards on
//   a track below.
// - Under each process one track for each chain: activations as slices from release to end.
//   Activations that overlap are on further lanes. A missed deadline is an instant.
// - An arrow from each publish to the run that took the message, across processes.
// - Counters, and for each chain its response time in milliseconds.
// Times are CLOCK_BOOTTIME, or CLOCK_REALTIME if the processes are of several hosts. A process or
// thread whose number another one of the trace has is shown with a number above 2^22.
// Field numbers are those of perfetto's published schema
// (protos/perfetto/trace/perfetto_trace.proto).
#ifndef TAKT_TRACE__SRC__TIMELINE__PERFETTO_HPP_
#define TAKT_TRACE__SRC__TIMELINE__PERFETTO_HPP_

#include <iosfwd>
#include <string>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// The bytes of the trace. Set-up only: allocates; does not block. Accepts any content: omits
/// records that do not fit, such as an end without a start after records were dropped.
std::string perfetto_trace(const std::vector<ProcessTrace> & processes);
/// The same, written piece by piece. May block.
void write_perfetto_trace(const std::vector<ProcessTrace> & processes, std::ostream & out);
void write_perfetto_trace(const std::vector<LongTrace> & processes, std::ostream & out);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__TIMELINE__PERFETTO_HPP_
