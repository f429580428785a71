// The calling thread's id, read once from the kernel.
#ifndef TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_
#define TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_

#include <sys/types.h>

namespace takt_watch
{

/// Real-time safe; the first call of a thread makes a system call.
pid_t own_thread() noexcept;

/// Call it in a child of fork, whose thread has another id.
void forget_own_thread() noexcept;

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_
