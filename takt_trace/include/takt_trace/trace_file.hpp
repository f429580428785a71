// The file of a process's trace: written during the recording, and read by all tools.
//
// "TAKTTRC2", then chunks: type (u32), length of the content in bytes (u32), content; little
// endian. Types:
//   1 text (JSON): facts of the process, and names that are new since the previous text chunk 2
//   records of one thread: thread number (u32), 0 (u32), records dropped so far (u64), then records
//   of 40 bytes:
//      time (i64), id (u32), kind (u32), a, b, c (i64)
//   3 empty: the following chunks belong to the next process (files of several processes, as `takt
//   trace` writes)
// In files of "TAKTTRC1" a run_start has no core, and its `c` is only the skipped periods; the
// reader accepts both. Readers skip unknown types of chunks and unknown kinds of records, so a new
// kind needs no new version. A file that ends inside a chunk, as after a crash, is read up to that
// chunk.
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

/// Encodes the chunks of a file, one after the other. Allocates; does not block.
class TraceEncoder
{
public:
  /// The first bytes of a file.
  static std::string header();
  /// A text chunk with all names of `trace` that no earlier call has encoded, and with the facts of
  /// the process; empty if none are new. Omits records.
  std::string names(const ProcessTrace & trace);
  std::string names(const LongTrace & trace);
  /// Records of the thread with this index in `ProcessTrace::threads`.
  static std::string records(
    std::uint32_t thread, std::uint64_t dropped, std::span<const Record> records);

  /// Separates the chunks of two processes.
  static std::string next_process();

private:
  template <typename Trace>
  std::string new_names(const Trace & trace);

  std::size_t callbacks_ = 0, chains_ = 0, topics_ = 0, names_ = 0, threads_ = 0;
  std::string facts_{};  // the facts in the last chunk
};

/// Accepts any bytes. Faults: the bytes are not a trace, with the place and the reason. Memory is
/// bounded by a small multiple of the bytes.
takt_rt::Result<std::vector<ProcessTrace>> decode_traces(const std::string & bytes);

/// May block. Faults: see `decode_traces`, and errors of the system.
takt_rt::Result<std::vector<ProcessTrace>> read_traces(const std::string & path);
/// The same. Under a `MemoryLimit` the records need not fit into memory.
takt_rt::Result<std::vector<LongTrace>> read_long_traces(const std::string & path);

/// A chunk's length has 32 bits. Smaller chunks take less memory while they are written.
inline constexpr std::size_t kChunkRecords = 100'000;

/// Writes one file of several processes, piece by piece. A chunk has at most `chunk_records`
/// records. May block.
void write_traces(
  const std::vector<ProcessTrace> & processes, std::ostream & out,
  std::size_t chunk_records = kChunkRecords);

void write_traces(
  const std::vector<LongTrace> & processes, std::ostream & out,
  std::size_t chunk_records = kChunkRecords);

/// The bytes of the same file.
std::string encode_traces(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace

#endif  // TAKT_TRACE__TRACE_FILE_HPP_
