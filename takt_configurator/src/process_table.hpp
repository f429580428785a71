// What the daemon knows of other processes: read from /proc, or from a test's own table.
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

  /// When thread `tid` of process `pid` started, in clock ticks since boot. Nothing if the process has no such
  /// thread. The kernel gives ids again, but not the same id with the same time.
  virtual std::optional<std::uint64_t> start_time(pid_t pid, pid_t tid) const = 0;

  /// The thread of process `pid` that the process itself numbers `own_tid`: the same number, unless the process is in
  /// a PID namespace of its own. There only the first thousand threads are found.
  virtual std::optional<pid_t> find_thread(pid_t pid, pid_t own_tid) const = 0;

  /// The effective user of a thread.
  virtual std::optional<uid_t> user(pid_t pid, pid_t tid) const = 0;

  /// Cores that the process may use at most, ascending: of its cpuset, or of its threads' affinities where the cpuset cannot
  /// be read.
  virtual std::vector<int> usable_cores(pid_t pid) const = 0;

  /// A descriptor that tells when the thread ends; none before Linux 6.9.
  virtual FileDescriptor watch_thread(pid_t tid) const = 0;

  /// The process that has this thread; nothing if there is no such thread.
  virtual std::optional<pid_t> process_of(pid_t tid) const = 0;

  virtual std::vector<pid_t> processes() const = 0;
  virtual std::vector<pid_t> threads(pid_t pid) const = 0;
};

/// The kernel's.
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
  mutable NamespaceThreads in_namespaces_;  ///< what was read before
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__PROCESS_TABLE_HPP_
