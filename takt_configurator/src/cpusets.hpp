// Cores of its own for a deadline thread: one exclusive cpuset for each.
//
// The kernel admits a SCHED_DEADLINE thread with fewer cores than its root domain has only if these cores are a root
// domain themselves. In cgroup v1 an exclusive cpuset below one without load balancing is that, in cgroup v2 a partition.
//
// cgroup v1 is tested with the kernel. cgroup v2 is written to files only: not verified on hardware.
// One thread at a time. Allocates; may block (writes files of the kernel).
#ifndef TAKT_CONFIGURATOR__SRC__CPUSETS_HPP_
#define TAKT_CONFIGURATOR__SRC__CPUSETS_HPP_

#include <map>
#include <string>
#include <vector>

#include "ledger.hpp"
#include "process_table.hpp"

namespace takt_configurator
{

class Cpusets
{
public:
  /// `root`: the folder of a cpuset, in which folders "takt-PID-TID-START" are made; empty: none can be made.
  /// Removes folders of threads that have ended; those of living threads stay in use.
  Cpusets(std::string root, const ProcessTable & table);

  bool available() const noexcept { return !root_.empty(); }

  /// Moves the thread into a cpuset with exactly these cores: its own one if it has one already. An empty sentence, or
  /// why not; then the thread is where it was.
  std::string place(const ThreadKey & thread, const std::vector<int> & cores);

  /// Moves the thread, if it is in a cpuset of its own, back to where it came from, and removes the cpuset.
  void release(const ThreadKey & thread);

  /// Releases cpusets of threads that have ended. With a kernel also those of threads that do not have the policy
  /// deadline, unless they were placed since the last call: they may still be about to get it.
  void purge(const Kernel * kernel = nullptr);

  std::size_t size() const noexcept { return placed_.size(); }

private:
  std::string folder(const ThreadKey & thread) const;
  std::string prepare(const std::string & folder, const std::vector<int> & cores) const;
  std::string move(pid_t tid, const std::string & folder) const;
  std::string origin(const ThreadKey & thread) const;

  std::string root_;
  const ProcessTable & table_;
  bool unified_ = false;  ///< cgroup v2
  std::string mount_;     ///< topmost folder of the hierarchy
  struct Placed
  {
    std::string origin;  ///< folder from which the thread came
    bool fresh = false;  ///< since the last purge
  };
  std::map<ThreadKey, Placed> placed_;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__CPUSETS_HPP_
