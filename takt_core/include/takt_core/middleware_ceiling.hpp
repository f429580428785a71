// The middleware ceiling: an executor thread's priority while it is inside the middleware.
//
// DDS guards its readers and writers with ordinary mutexes, and a publisher's thread runs the
// listeners of all local readers. A low-priority thread preempted inside a publish or take would
// block every thread that needs the same topic, for as long as anything of middle priority runs.
// Adapters open a scope around each such call; the thread runs at the ceiling meanwhile.
//
// Afterwards it has again what it had before, also where the program itself has set that.
//
// Cost: three system calls per outermost scope where a ceiling is set, none elsewhere.
#ifndef TAKT_CORE__MIDDLEWARE_CEILING_HPP_
#define TAKT_CORE__MIDDLEWARE_CEILING_HPP_

#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

using takt_rt::OwnPriority;

/// Real-time safe. Scopes nest; on threads without a ceiling (all but executor threads of an
/// executor that has one, and those that are above it already) a scope does nothing.
class MiddlewareCeilingScope
{
public:
  MiddlewareCeilingScope() noexcept;
  ~MiddlewareCeilingScope();
  MiddlewareCeilingScope(const MiddlewareCeilingScope &) = delete;
  MiddlewareCeilingScope & operator=(const MiddlewareCeilingScope &) = delete;
};

/// What the calling thread has when it is outside the middleware, and what inside. For executor
/// threads and for tests. Real-time safe; not while a scope is open.
void set_base_priority(OwnPriority base) noexcept;
OwnPriority base_priority() noexcept;
/// `ceiling` 0: none. Only for fifo, rr, other, batch and idle threads.
void set_middleware_ceiling(int ceiling) noexcept;
/// That of the calling thread.
int own_middleware_ceiling() noexcept;
/// Times a scope really raised a thread, over all threads.
std::uint64_t middleware_ceiling_raises() noexcept;

}  // namespace takt_core

#endif  // TAKT_CORE__MIDDLEWARE_CEILING_HPP_
