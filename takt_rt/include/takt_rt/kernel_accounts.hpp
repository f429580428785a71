// The kernel's counts for each thread of a process: time, switches, faults.
//
// Set-up and monitoring only: reads three files of /proc for each thread, allocates and may block.
// Needs no right for any user's process, unless /proc is mounted with hidepid.
#ifndef TAKT_RT__KERNEL_ACCOUNTS_HPP_
#define TAKT_RT__KERNEL_ACCOUNTS_HPP_

#include <sys/types.h>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_rt
{

/// Counters that only grow while a thread lives.
struct ThreadCounters
{
  /// Time on a core. The kernel updates it at switches and scheduler ticks: the account of a
  /// running thread lacks up to a tick (1 to 10 ms). Counts whole ticks if the kernel has no
  /// /proc/<pid>/schedstat.
  Duration cpu_time{};
  Duration queue_wait{};                   ///< ready without a core; 0 without schedstat
  std::uint64_t voluntary_switches = 0;    ///< the thread went to sleep
  std::uint64_t involuntary_switches = 0;  ///< it was preempted
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;

  /// All members. The binding does not compile if one is missing.
  auto members() const
  {
    const auto & [cpu_time_, queue_wait_, voluntary_switches_, involuntary_switches_, minor_faults_, major_faults_] =
      *this;
    return std::tie(
      cpu_time_, queue_wait_, voluntary_switches_, involuntary_switches_, minor_faults_,
      major_faults_);
  }
  friend bool operator==(const ThreadCounters & left, const ThreadCounters & right)
  {
    return left.members() == right.members();
  }
  friend bool operator!=(const ThreadCounters & left, const ThreadCounters & right)
  {
    return !(left == right);
  }
};

/// Times of one thread since it began. Zero without /proc/<pid>/schedstat, and for an unknown
/// thread.
struct CoreTimes
{
  Duration on_cpu{};      ///< as `ThreadCounters::cpu_time`
  Duration queue_wait{};  ///< ready without a core
};

/// The times of thread `tid` of this process. Any thread; reads one file of /proc: may block, and
/// allocates.
CoreTimes core_times(pid_t tid);

/// The attributes and counters of one thread at one reading.
struct ThreadAccount
{
  pid_t tid = 0;
  std::uint64_t started = 0;  ///< clock ticks since boot; with `tid` it tells reused ids apart
  std::string name;
  Policy policy = Policy::other;
  int rt_priority = 0;  ///< 0 unless fifo or rr
  int nice = 0;         ///< kept also by threads whose policy ignores it
  int last_core = 0;
  ThreadCounters counters;
};

/// The accounts of all threads of process `pid` (0: this one), ascending by thread id, without
/// threads that end meanwhile; empty for an unknown process.
std::vector<ThreadAccount> read_accounts(pid_t pid = 0);

/// The readings that have a thread: both (`stayed`), only the later (`came`), only the earlier
/// (`went`).
enum class Presence
{
  stayed,
  came,
  went
};

/// The change of one thread's account between two readings.
struct AccountChange
{
  Presence presence = Presence::stayed;
  /// The latest account, except `counters`: their increase between the readings. For a new thread
  /// all its counts; zero for a thread that has ended, whose increase is unknown.
  ThreadAccount account;
};

/// Compares two readings of the same process, `before` the earlier. Ascending by thread id; for a
/// reused id the ended thread comes first.
std::vector<AccountChange> changes_between(
  const std::vector<ThreadAccount> & before, const std::vector<ThreadAccount> & after);

}  // namespace takt_rt

#endif  // TAKT_RT__KERNEL_ACCOUNTS_HPP_
