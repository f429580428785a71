// A process's trace on disk: written while it is recorded, read by whatever looks at it.
//
// "TAKTTRC2", then chunks: type (u32), length of the content in bytes (u32), content; little endian. Types:
//   1  text (JSON): facts of the process, and what was named since the chunk before
//   2  records of one thread: thread number (u32), 0 (u32), records dropped so far (u64), then records of 40 bytes:
//      time (i64), id (u32), kind (u32), a, b, c (i64)
//   3  nothing: what follows is of the next process (files of several processes, as `takt trace` writes them)
// In files of "TAKTTRC1" a run_start tells no core, and its `c` is only the skipped periods: they are read alike.
// Unknown types of chunks and unknown kinds of records are skipped, so that a new kind needs no new version. A file that ends inside a chunk, as after a crash, is read up to there.
#ifndef TAKT_TRACE__TRACE_FILE_HPP_
#define TAKT_TRACE__TRACE_FILE_HPP_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_trace/long_trace.hpp"
#include "takt_trace/trace.hpp"

namespace takt_trace
{

/// Makes the chunks of a file, one after the other. Allocates; does not block.
class TraceEncoder
{
public:
  /// The first bytes of a file.
  static std::string header();
  /// All that `trace` names and that no call has told yet, with the facts of the process; empty if that is nothing.
  /// Records are left out.
  std::string names(const ProcessTrace & trace);
  std::string names(const LongTrace & trace);
  /// Records of the thread with this index in `ProcessTrace::threads`.
  static std::string records(
    std::uint32_t thread, std::uint64_t dropped, std::span<const Record> records);

  /// Between the chunks of two processes.
  static std::string next_process();

private:
  template <typename Trace>
  std::string new_names(const Trace & trace);

  std::size_t callbacks_ = 0, chains_ = 0, topics_ = 0, names_ = 0, threads_ = 0;
  std::string facts_{};  // as they were told last
};

/// Any bytes are safe. Faults: the bytes are no trace, with what is wrong and where. Memory is bounded by a small
/// multiple of the bytes.
takt_rt::Result<std::vector<ProcessTrace>> decode_traces(const std::string & bytes);

/// May block. Faults: as above, and what the system says of the file.
takt_rt::Result<std::vector<ProcessTrace>> read_traces(const std::string & path);
/// The same. Under a `MemoryLimit` the records need not fit into memory.
takt_rt::Result<std::vector<LongTrace>> read_long_traces(const std::string & path);

/// A chunk's length has 32 bits. Smaller chunks take less memory while they are written.
inline constexpr std::size_t kChunkRecords = 100'000;

/// One file of several processes, piece by piece; chunks of records have at most `chunk_records`. May block.
void write_traces(
  const std::vector<ProcessTrace> & processes, std::ostream & out,
  std::size_t chunk_records = kChunkRecords);

void write_traces(
  const std::vector<LongTrace> & processes, std::ostream & out,
  std::size_t chunk_records = kChunkRecords);

/// The same as bytes.
std::string encode_traces(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__TRACE_FILE_HPP_
