// The calling thread's id, asked of the kernel once.
#ifndef TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_
#define TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_

#include <sys/types.h>

namespace takt_watch
{

/// Real-time safe; a system call the first time.
pid_t own_thread() noexcept;

/// For the one thread of a child of fork, which has another id.
void forget_own_thread() noexcept;

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_
