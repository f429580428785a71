// Writes a trace as CTF 1.8 for babeltrace, Trace Compass, tracetools_analysis and CARET.
//
// Events have the names and fields of ros2_tracing 8.4 (provider `ros2`), and those of CARET that
// its readers need (`ros2_caret`). Other records become events of the provider `takt`, so that no
// record is lost. Handles are invented: each is unique in all files of one call. The folder of each
// host is one CTF trace. It has one stream for each thread, and one for each process with the
// events that describe the process.
#ifndef TAKT_TRACE__SRC__CTF__CTF_HPP_
#define TAKT_TRACE__SRC__CTF__CTF_HPP_

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

struct CtfFile
{
  std::string path;  ///< below the trace's folder, `HOST/FILE`; both parts have letters, digits,
                     ///< `.`, `_`, `-`
  std::string content;
};

/// Opens the next file of the trace; `path` as in `CtfFile`. The previous file is then complete.
using OpenCtfFile = std::function<std::ostream &(const std::string & path)>;

/// Writes all files of the trace, one after the other, packet by packet. See `ctf_trace`; may
/// block.
void write_ctf_trace(const std::vector<LongTrace> & processes, const OpenCtfFile & open);

/// All files of the trace. Accepts any records. Times are CLOCK_MONOTONIC; the metadata of a host
/// have the offset of CLOCK_REALTIME in its first process. Set-up only: allocates; does not block.
std::vector<CtfFile> ctf_trace(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__SRC__CTF__CTF_HPP_
