// Where a thread of this process is: the functions that it is in, or what it waits for in the kernel.
//
// For the watch thread, about a run that lasts too long. A thread that is on a core or waits for one is interrupted by
// a real-time signal whose disposition is the default one, and its handler notes return addresses; the handler
// allocates nothing and returns within tens of microseconds (system calls are restarted). A thread that sleeps gets no signal,
// because that would interrupt its system call: the kernel's own words say where it waits. (It may fall asleep between
// the question and the signal; the kernel restarts all calls but a few with time limits.)
#ifndef TAKT_WATCH__SRC__KERNEL__STACK_HPP_
#define TAKT_WATCH__SRC__KERNEL__STACK_HPP_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace takt_watch
{

/// Innermost first: "busy(double)+0x1a (libnode.so)", or "waits in the kernel: futex_wait_queue" and
/// "system call: futex". Empty: there is no such thread, it is another one's than `still_there` means, or nothing can
/// be told. `still_there` is asked right before the signal and at the end. One thread at a time; blocks for at most 50 ms,
/// but for longer while the thread is in the handler and has no core; allocates.
std::vector<std::string> stack_of(pid_t tid, const std::function<bool()> & still_there);

/// The name of a system call that threads are often in; else its number.
std::string system_call_name(long number);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__STACK_HPP_
