// The calling thread's id, read once from the kernel.
#ifndef TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_
#define TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_

#include <sys/types.h>

namespace takt_watch
{

/// The kernel's id of the calling thread. Real-time safe; the first call of a thread makes a system
/// call.
pid_t own_thread() noexcept;

/// Forgets the id. Call it in a child of fork, because its thread has another id.
void forget_own_thread() noexcept;

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__KERNEL__OWN_THREAD_HPP_
