// Interrupts a running thread by a signal to read its return addresses. See stack.hpp.
#ifndef TAKT_WATCH__SRC__KERNEL__INTERRUPTED_STACK_HPP_
#define TAKT_WATCH__SRC__KERNEL__INTERRUPTED_STACK_HPP_

#include <sys/types.h>

#include <vector>

#include "takt_rt/time.hpp"

namespace takt_watch
{

/// The return addresses on the stack of thread `tid`, the innermost first. Empty: the process has
/// no free signal, or the thread did not answer within `limit`. One thread at a time; blocks;
/// allocates.
std::vector<void *> interrupted_stack(pid_t tid, takt_rt::Duration limit);

/// The signal that `interrupted_stack` uses; 0: not chosen yet, or no signal is free. For tests.
int stack_signal() noexcept;

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__INTERRUPTED_STACK_HPP_
