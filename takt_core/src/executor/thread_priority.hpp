// What one thread has as its OS priority outside the middleware, and whether a scope has raised it above that
// (middleware_ceiling.hpp). Another thread may change what it has, also while a scope is open.
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
  // --- guarded by the mutex: whoever changes the thread's priority holds it meanwhile ---
  PiMutex mutex;
  OwnPriority own;  ///< while it waits
  OwnPriority
    base;  ///< outside the middleware: `own`, or that of the callback which a following thread runs
  bool raised = false;
  bool changing = false;  ///< another thread gives it new attributes

  // --- of the thread itself ---
  int ceiling = 0;
  int depth = 0;
};

/// The calling thread's. Real-time safe.
ThreadPriority & own_thread_priority() noexcept;

/// The calling, following thread waits no longer, and runs a callback at `priority` of SCHED_FIFO; or waits again.
/// Nothing happens where its own policy is another: that was refused at the start. Real-time safe.
void follow(int priority) noexcept;
void unfollow() noexcept;

/// Gives thread `tid`, whose priority this is, new attributes. A scope that has raised the thread stays in force, and
/// what it gives back at its end is the new priority. (The thread has the new priority without the scope's for a
/// moment.) As AttributeSetter.
AttributeReport change(
  ThreadPriority & thread, pid_t tid, const ThreadAttributes & attributes,
  AttributeSetter & setter);

}  // namespace takt_core::detail

#endif  // TAKT_CORE__SRC__THREAD_PRIORITY_HPP_
