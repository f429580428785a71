// The daemon's data about other processes: from /proc, or from the table of a test.
//
// One thread at a time. May block: reads files of /proc. Allocates.
#ifndef TAKT_CONFIGURATOR__SRC__PROCESS_TABLE_HPP_
#define TAKT_CONFIGURATOR__SRC__PROCESS_TABLE_HPP_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file_descriptor.hpp"
#include "namespace_threads.hpp"

namespace takt_configurator
{

/// All ids are those of the daemon's PID namespace unless a function says otherwise.
class ProcessTable
{
public:
  virtual ~ProcessTable() = default;

  /// The start time of thread `tid` of process `pid`, in clock ticks since boot. Empty if the
  /// process has no such thread. The kernel reuses ids, but not the same id with the same time.
  virtual std::optional<std::uint64_t> start_time(pid_t pid, pid_t tid) const = 0;

  /// The thread with the number `own_tid` in the process `pid`. Both numbers are equal unless the
  /// process has its own PID namespace. There it finds only the first thousand threads.
  virtual std::optional<pid_t> find_thread(pid_t pid, pid_t own_tid) const = 0;

  /// The effective user of a thread.
  virtual std::optional<uid_t> user(pid_t pid, pid_t tid) const = 0;

  /// The cores that the process may use, ascending: those of its cpuset or, if the cpuset cannot be
  /// read, those of its threads' affinities.
  virtual std::vector<int> usable_cores(pid_t pid) const = 0;

  /// A descriptor that becomes readable when the thread ends; empty before Linux 6.9.
  virtual FileDescriptor watch_thread(pid_t tid) const = 0;

  /// The process of this thread; empty if there is no such thread.
  virtual std::optional<pid_t> process_of(pid_t tid) const = 0;

  virtual std::vector<pid_t> processes() const = 0;
  virtual std::vector<pid_t> threads(pid_t pid) const = 0;
};

/// The table of the kernel.
class ProcFiles : public ProcessTable
{
public:
  ProcFiles();

  std::optional<std::uint64_t> start_time(pid_t pid, pid_t tid) const override;
  std::optional<pid_t> find_thread(pid_t pid, pid_t own_tid) const override;
  std::optional<uid_t> user(pid_t pid, pid_t tid) const override;
  std::vector<int> usable_cores(pid_t pid) const override;
  FileDescriptor watch_thread(pid_t tid) const override;
  std::optional<pid_t> process_of(pid_t tid) const override;
  std::vector<pid_t> processes() const override;
  std::vector<pid_t> threads(pid_t pid) const override;

private:
  mutable NamespaceThreads in_namespaces_;  ///< numbers that were read before
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__PROCESS_TABLE_HPP_
