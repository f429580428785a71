#include "flow/clocks.hpp"

#include <sys/timex.h>

#include <algorithm>
#include <functional>

#include "saturating.hpp"

namespace takt_trace::detail
{
namespace
{

/// Two machines may have one name, but their clocks hardly begin within the same second.
constexpr std::int64_t kSameClock = 1'000'000'000;  // ns

}  // namespace

std::optional<RealtimeClock> realtime_clock()
{
  timex now{};
  const int state = ::adjtimex(&now);
  if (state < 0) {
    return std::nullopt;
  }
  constexpr std::int64_t kMicrosecond = 1000;
  return RealtimeClock{
    (now.status & STA_UNSYNC) == 0, now.maxerror * kMicrosecond, now.esterror * kMicrosecond};
}

SharedClock::SharedClock(const std::vector<LongTrace> & processes)
{
  std::vector<std::size_t> firsts;  // the first process of each host
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const LongTrace & own = processes[process];
    const auto same = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
      const std::int64_t apart = saturating_subtract(processes[first].to_realtime, own.to_realtime);
      return processes[first].host == own.host && -kSameClock < apart && apart < kSameClock;
    });
    hosts_.push_back(static_cast<std::size_t>(same - firsts.begin()));
    if (same == firsts.end()) {
      firsts.push_back(process);
    }
    const LongTrace & first = processes[firsts[hosts_.back()]];
    offsets_.push_back(saturating_subtract(first.to_realtime, processes.front().to_realtime));
  }
}

std::int64_t SharedClock::from(std::size_t process, std::int64_t time) const
{
  return saturating_add(time, offsets_[process]);
}

std::int64_t SharedClock::to(std::size_t process, std::int64_t shared) const
{
  return saturating_subtract(shared, offsets_[process]);
}

std::vector<HostClock> host_clocks(const std::vector<LongTrace> & processes)
{
  const SharedClock shared(processes);
  std::vector<HostClock> hosts;
  std::vector<bool> all_known;
  for (std::size_t process = 0; process < processes.size(); ++process) {
    const std::size_t host = shared.host(process);
    if (host == hosts.size()) {
      hosts.push_back({processes[process].host, true, 0});
      all_known.push_back(true);
    }
    HostClock & own = hosts[host];
    const auto & clock = processes[process].realtime_clock;
    all_known[host] = all_known[host] && clock.has_value();
    own.synchronised = *own.synchronised && clock && clock->synchronised;
    own.uncertainty = std::max(*own.uncertainty, clock ? clock->max_error : 0);
  }
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    if (!all_known[host]) {
      hosts[host].synchronised.reset();
    }
    if (!hosts[host].synchronised.value_or(false)) {
      hosts[host].uncertainty.reset();
    }
  }
  return hosts;
}

std::optional<std::int64_t> join_uncertainty(const std::vector<HostClock> & hosts)
{
  if (hosts.size() < 2) {
    return 0;
  }
  std::vector<std::int64_t> errors;
  for (const HostClock & host : hosts) {
    if (!host.uncertainty) {
      return std::nullopt;
    }
    errors.push_back(*host.uncertainty);
  }
  std::sort(errors.begin(), errors.end(), std::greater<>());
  return saturating_add(errors[0], errors[1]);
}

}  // namespace takt_trace::detail
