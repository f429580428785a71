// Which thread of a process has which number in the process's own PID namespace.
//
// The kernel tells only the other way round, in a file for each thread: a process with a thousand threads costs 13 ms.
// So what was read is kept, and a number that is not among it costs the files of threads that are new since then.
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
  /// The number that a thread of a process has in its own PID namespace; 0 if it has ended.
  using OwnNumber = std::function<pid_t(pid_t pid, pid_t tid)>;

  explicit NamespaceThreads(OwnNumber own_number);

  /// The thread that process `pid` numbers `own_tid`. Of a process with more than a thousand threads one is found that is
  /// among the first thousand, or if the numbers of both sides are in one order. The answer is true when it is
  /// given: the thread's file is read again.
  std::optional<pid_t> find(pid_t pid, pid_t own_tid);

private:
  /// A thread and no later one with its number: /proc numbers its folders anew.
  struct Seen
  {
    ino_t folder = 0;
    pid_t own_tid = 0;
  };
  struct Process
  {
    std::map<pid_t, Seen> threads{};      ///< by the daemon's number
    std::map<pid_t, pid_t> by_own_tid{};  ///< the daemon's number
    std::uint64_t used = 0;               ///< when, in calls of `find`
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
