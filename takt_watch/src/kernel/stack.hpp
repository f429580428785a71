// Finds the place where a thread of this process is: the functions on its stack, or the place where
// it waits in the kernel.
//
// The watch thread calls this for a run that lasts too long. If the thread runs or waits for a
// core, a real-time signal interrupts it, and the signal's handler notes return addresses. The
// signal is one that the program leaves at its default disposition. The handler allocates nothing
// and returns within tens of microseconds. A sleeping thread gets no signal, because a signal would
// interrupt its system call. For a sleeping thread /proc says where it waits. If the thread falls
// asleep just before the signal, the kernel restarts its system call, except a few with time
// limits.
#ifndef TAKT_WATCH__SRC__KERNEL__STACK_HPP_
#define TAKT_WATCH__SRC__KERNEL__STACK_HPP_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace takt_watch
{

/// The functions on the stack, the innermost first, as "busy(double)+0x1a (libnode.so)"; for a
/// sleeping thread "waits in the kernel: futex_wait_queue" and "system call: futex". Empty: the
/// thread does not exist, `still_there` returned false, or its place is unknown. Calls
/// `still_there` right before the signal and at the end. One thread at a time; allocates. Blocks
/// for at most 50 ms, or longer while the thread's handler waits for a core.
std::vector<std::string> stack_of(pid_t tid, const std::function<bool()> & still_there);

/// The name of a frequent system call, or the number of another one.
std::string system_call_name(long number);

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__STACK_HPP_
