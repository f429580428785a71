// The return addresses of a thread that runs, by a signal. See stack.hpp.
#ifndef TAKT_WATCH__SRC__KERNEL__INTERRUPTED_STACK_HPP_
#define TAKT_WATCH__SRC__KERNEL__INTERRUPTED_STACK_HPP_

#include <sys/types.h>

#include <vector>

#include "takt_rt/time.hpp"

namespace takt_watch
{

/// Innermost first; empty: no signal is free, or the thread did not answer within `limit`. One thread at a time;
/// blocks; allocates.
std::vector<void *> interrupted_stack(pid_t tid, takt_rt::Duration limit);

/// The signal that it sends; 0: none yet, or none is free. For tests.
int stack_signal() noexcept;

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__INTERRUPTED_STACK_HPP_
