// The clocks of the processes of a trace: which processes share a clock, and how far the clocks of
// several hosts may differ.
//
// Processes of one host share CLOCK_MONOTONIC. CLOCK_REALTIME joins the hosts, as accurately as
// each host sets it.
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

/// The state of this host's clock now; absent: the kernel does not report it. Set-up only.
std::optional<RealtimeClock> realtime_clock();

/// One clock for the times of all processes of a trace: the clock of the first process's host.
class SharedClock
{
public:
  explicit SharedClock(const std::vector<LongTrace> & processes);

  /// Converts a time of the process into the shared clock, and back. Exact among processes of one
  /// host.
  std::int64_t from(std::size_t process, std::int64_t time) const;
  std::int64_t to(std::size_t process, std::int64_t shared) const;
  /// Processes with the same number run on one host.
  std::size_t host(std::size_t process) const { return hosts_[process]; }

private:
  std::vector<std::size_t> hosts_;     // of each process
  std::vector<std::int64_t> offsets_;  // of each process
};

struct HostClock
{
  std::string name;
  std::optional<bool> synchronised{};  ///< absent: unknown
  std::optional<std::int64_t>
    uncertainty{};  ///< ns from true time; absent: unknown or not synchronised
};

/// Each host once, in the order of the processes. Takes the worst reading of its processes.
std::vector<HostClock> host_clocks(const std::vector<LongTrace> & processes);

/// The largest error between times of two hosts: the largest sum of two uncertainties. 0 for a
/// single host; absent: unknown.
std::optional<std::int64_t> join_uncertainty(const std::vector<HostClock> & hosts);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__FLOW__CLOCKS_HPP_
