// The clocks of the processes of a trace: which of them are one, and how far those of several hosts may differ.
//
// Processes of one host share CLOCK_MONOTONIC. CLOCK_REALTIME joins the hosts, as well as each host keeps it.
#ifndef TAKT_TRACE__SRC__FLOW__CLOCKS_HPP_
#define TAKT_TRACE__SRC__FLOW__CLOCKS_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "takt_trace/long_trace.hpp"

namespace takt_trace::detail
{

/// Of this host, now; absent: the kernel does not tell. Set-up only.
std::optional<RealtimeClock> realtime_clock();

/// One clock for the times of all processes of a trace: that of the first process's host.
class SharedClock
{
public:
  explicit SharedClock(const std::vector<LongTrace> & processes);

  /// A time of the process in the shared clock, and back. Exact among processes of one host.
  std::int64_t from(std::size_t process, std::int64_t time) const;
  std::int64_t to(std::size_t process, std::int64_t shared) const;
  /// Processes with the same number are of one host.
  std::size_t host(std::size_t process) const { return hosts_[process]; }

private:
  std::vector<std::size_t> hosts_;     // of each process
  std::vector<std::int64_t> offsets_;  // of each process
};

struct HostClock
{
  std::string name;
  std::optional<bool> synchronised{};  ///< absent: not known
  std::optional<std::int64_t>
    uncertainty{};  ///< ns from true time; absent: not known, or not synchronised
};

/// Each host once, in the order of the processes. Of several processes the worst reading counts.
std::vector<HostClock> host_clocks(const std::vector<LongTrace> & processes);

/// By how much times of two hosts may be wrong beside each other: the largest sum of two. 0 for a single host; absent: not
/// known.
std::optional<std::int64_t> join_uncertainty(const std::vector<HostClock> & hosts);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__FLOW__CLOCKS_HPP_
