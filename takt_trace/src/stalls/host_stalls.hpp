// Stalls of the host's cores in a trace, as a stall witness recorded them on threads of its own.
#ifndef TAKT_TRACE__SRC__STALLS__HOST_STALLS_HPP_
#define TAKT_TRACE__SRC__STALLS__HOST_STALLS_HPP_

#include <string>

#include "takt_trace/long_trace.hpp"

namespace takt_trace::detail
{

/// Of a host_stall: by the kernel, which is no stall of the host.
constexpr bool is_throttled(const Record & stall) noexcept
{
  return stall.c != 0;
}

/// Of a host_stall, as viewers show it. Allocates.
inline std::string words_of_stall(const Record & stall)
{
  const std::string core = "core " + std::to_string(stall.id);
  return is_throttled(stall) ? "kernel throttled real-time threads of " + core
                             : "host took " + core;
}

/// Whether the thread is a witness's, and so none of the program: it recorded stalls, and nothing else.
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
