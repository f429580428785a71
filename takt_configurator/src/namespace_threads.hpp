// Finds the thread of a process by its number in the process's own PID namespace.
//
// The kernel tells only the other direction, in a file for each thread: 13 ms for a process with a
// thousand threads. So this keeps the data that it has read. An unknown number costs reading the
// files of the threads that are new since then.
//
// One thread. Allocates; may block (reads /proc).
#ifndef TAKT_CONFIGURATOR__SRC__NAMESPACE_THREADS_HPP_
#define TAKT_CONFIGURATOR__SRC__NAMESPACE_THREADS_HPP_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace takt_configurator
{

class NamespaceThreads
{
public:
  /// The number of a thread in its own PID namespace; 0 if it has ended.
  using OwnNumber = std::function<pid_t(pid_t pid, pid_t tid)>;

  explicit NamespaceThreads(OwnNumber own_number);

  /// The thread with the number `own_tid` in the process `pid`. In a process with more than a
  /// thousand threads it finds those among the first thousand, and others if both numbers have the
  /// same order. It reads the thread's file again before it answers.
  std::optional<pid_t> find(pid_t pid, pid_t own_tid);

private:
  /// Identifies one thread, also if a later thread gets its number: /proc gives each folder a new
  /// inode number.
  struct Seen
  {
    ino_t folder = 0;
    pid_t own_tid = 0;
  };
  struct Process
  {
    std::map<pid_t, Seen> threads{};      ///< by the daemon's number
    std::map<pid_t, pid_t> by_own_tid{};  ///< the daemon's number
    std::uint64_t used = 0;               ///< the last call of `find` that used it
  };

  struct Listed
  {
    pid_t tid = 0;
    ino_t folder = 0;
  };

  Process & kept(pid_t pid);
  static std::vector<Listed> list(pid_t pid);
  std::optional<Listed> search(pid_t pid, pid_t own_tid, const std::vector<Listed> & listed) const;
  void look(pid_t pid, Process & process, const std::vector<Listed> & listed) const;

  OwnNumber own_number_;
  std::map<pid_t, Process> processes_;
  std::uint64_t calls_ = 0;
};

}  // namespace takt_configurator

#endif  // TAKT_CONFIGURATOR__SRC__NAMESPACE_THREADS_HPP_
