// One thread's OS priority outside the middleware, and whether a scope has raised it above that
// (middleware_ceiling.hpp). Another thread may change the priority, also while a scope is open.
#ifndef TAKT_CORE__SRC__THREAD_PRIORITY_HPP_
#define TAKT_CORE__SRC__THREAD_PRIORITY_HPP_

#include <sys/types.h>

#include "takt_core/middleware_ceiling.hpp"
#include "takt_rt/attribute_setter.hpp"
#include "takt_rt/pi_mutex.hpp"

namespace takt_core::detail
{

using takt_rt::AttributeReport;
using takt_rt::AttributeSetter;
using takt_rt::PiMutex;
using takt_rt::ThreadAttributes;

struct ThreadPriority
{
  // --- guarded by the mutex; a thread holds the mutex while it changes the priority ---
  PiMutex mutex;
  OwnPriority own;  ///< while the thread waits
  OwnPriority
    base;  ///< outside the middleware: `own`, or the priority of a following thread's callback
  bool raised = false;
  bool changing = false;  ///< another thread is giving this thread new attributes

  // --- only for the thread itself ---
  int ceiling = 0;
  int depth = 0;
};

/// The calling thread's record. Real-time safe.
ThreadPriority & own_thread_priority() noexcept;

/// Gives the calling thread, which follows, the SCHED_FIFO priority of its callback. Does nothing
/// for a thread of another policy, which the start refuses. Real-time safe.
void follow(int priority) noexcept;
/// Gives the calling thread its own priority again, before it waits. Otherwise as `follow`.
void unfollow() noexcept;

/// Gives new attributes to thread `tid`, whose record is `thread`. If a scope has raised the
/// thread, the scope stays in force and restores the new priority at its end. (For a moment the
/// thread has the new priority without the raise.) Blocks as long as `setter` does.
AttributeReport change(
  ThreadPriority & thread, pid_t tid, const ThreadAttributes & attributes,
  AttributeSetter & setter);

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__THREAD_PRIORITY_HPP_
