// The middleware ceiling: an executor thread's priority while it is inside the middleware.
//
// DDS guards its readers and writers with ordinary mutexes, and a publisher's thread runs the
// listeners of all local readers. A low-priority thread preempted inside a publish or take would
// block every thread that needs the same topic while callbacks of middle priority run. Adapters
// open a scope around each such call; the thread runs at the ceiling meanwhile.
//
// After the scope the thread has its former priority, even if the program itself had set that.
//
// Cost: three system calls per outermost scope where a ceiling is set, none elsewhere.
#ifndef TAKT_CORE__MIDDLEWARE_CEILING_HPP_
#define TAKT_CORE__MIDDLEWARE_CEILING_HPP_

#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

using takt_rt::OwnPriority;

/// Real-time safe. Scopes nest. A scope has no effect on a thread without a ceiling, or if the
/// thread's priority is above the ceiling. Only threads of an executor with a ceiling have one.
class MiddlewareCeilingScope
{
public:
  MiddlewareCeilingScope() noexcept;
  ~MiddlewareCeilingScope();
  MiddlewareCeilingScope(const MiddlewareCeilingScope &) = delete;
  MiddlewareCeilingScope & operator=(const MiddlewareCeilingScope &) = delete;
};

/// Stores the calling thread's priority outside the middleware. For executor threads and tests.
/// Real-time safe; not while a scope is open.
void set_base_priority(OwnPriority base) noexcept;
/// The priority that `set_base_priority` stored.
OwnPriority base_priority() noexcept;
/// Sets the calling thread's ceiling; 0: none. Only for threads of policy fifo, rr, other, batch or
/// idle.
void set_middleware_ceiling(int ceiling) noexcept;
/// The calling thread's ceiling.
int own_middleware_ceiling() noexcept;
/// Number of scopes that raised a thread, over all threads.
std::uint64_t middleware_ceiling_raises() noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__MIDDLEWARE_CEILING_HPP_
