// Figures of the kernel about one thread of this process. Any thread; reads /proc, allocates.
#ifndef TAKT_WATCH__SRC__KERNEL__KERNEL_FIGURES_HPP_
#define TAKT_WATCH__SRC__KERNEL__KERNEL_FIGURES_HPP_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace takt_watch
{

/// The first 4 kB of a file of /proc/self/task/TID; empty: the file cannot be read.
std::string task_file(pid_t tid, const char * name);

/// The cores that the thread may use; empty if there is no such thread.
std::vector<int> cores_of(pid_t tid);

/// The number of the thread's moves to another core; absent: this kernel does not count them
/// (CONFIG_SCHED_DEBUG).
std::optional<std::uint64_t> migrations_of(pid_t tid);

/// The kernel's name of the thread, at most 15 characters.
std::string name_of(pid_t tid);

/// The state of the thread: 'R', 'S', 'D', … as in proc_pid_stat(5); 0: there is no such thread.
char state_of(pid_t tid);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__KERNEL_FIGURES_HPP_
