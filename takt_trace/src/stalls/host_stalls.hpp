// Stalls of the host's cores in a trace, recorded by a stall witness on its own threads.
#ifndef TAKT_TRACE__SRC__STALLS__HOST_STALLS_HPP_
#define TAKT_TRACE__SRC__STALLS__HOST_STALLS_HPP_

#include <string>

#include "takt_trace/long_trace.hpp"

namespace takt_trace::detail
{

/// For a host_stall: the kernel ran other threads, so it is not a stall of the host.
constexpr bool is_throttled(const Record & stall) noexcept
{
  return stall.c != 0;
}

/// The text of a host_stall in viewers. Allocates.
inline std::string words_of_stall(const Record & stall)
{
  const std::string core = "core " + std::to_string(stall.id);
  return is_throttled(stall) ? "kernel throttled real-time threads of " + core
                             : "host took " + core;
}

/// True for a stall-witness thread, which is not the program's: it recorded only stalls.
inline bool is_witness(const LongThread & thread) noexcept
{
  for (const Record & record : thread.records) {
    if (record.kind != RecordKind::host_stall) {
      return false;
    }
  }
  return !thread.records.empty();
}

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__STALLS__HOST_STALLS_HPP_
