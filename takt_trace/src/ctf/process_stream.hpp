// Writes the description of a process, and the records of its threads, as events.
#ifndef TAKT_TRACE__SRC__CTF__PROCESS_STREAM_HPP_
#define TAKT_TRACE__SRC__CTF__PROCESS_STREAM_HPP_

#include <cstddef>

#include "described_process.hpp"
#include "messages.hpp"
#include "stream_writer.hpp"

namespace takt_trace::detail
{

/// Writes all parts of the process, at the time before its first record.
void write_description(const DescribedProcess & process, StreamWriter & stream);

/// Writes the records of one thread. `number`: the process's number in `messages`.
void write_records(
  const DescribedProcess & process, std::size_t number, std::size_t thread,
  const Messages & messages, StreamWriter & stream);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__PROCESS_STREAM_HPP_
