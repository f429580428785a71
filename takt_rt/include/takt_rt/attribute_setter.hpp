// Sets the attributes of this process's threads: by the process's own rights, or through a daemon
// that has the rights and checks its policy first (takt_control).
#ifndef TAKT_RT__ATTRIBUTE_SETTER_HPP_
#define TAKT_RT__ATTRIBUTE_SETTER_HPP_

#include <sys/types.h>

#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{

/// Any thread, several at a time. Set-up only: allocates and may block, for a bounded time.
class AttributeSetter
{
public:
  virtual ~AttributeSetter() = default;

  /// As `takt_rt::apply`: `tid` is a thread of this process, 0 the caller. Reports the attributes
  /// in force at the return.
  virtual AttributeReport apply(const ThreadAttributes & attributes, pid_t tid) = 0;

  /// Refusals of `apply` that are known without changing a thread. Empty: no known obstacle.
  virtual Faults refusals(const ThreadAttributes & attributes) = 0;

  /// Whether threads of this process may from now on give themselves real-time priorities up to
  /// `priority` (1 to 99), as middleware ceilings and following threads do. May raise a limit of
  /// the process.
  virtual bool allow_realtime(int priority) = 0;
};

/// Sets attributes by this process's own rights.
AttributeSetter & own_rights();

}  // namespace takt_rt

#endif  // TAKT_RT__ATTRIBUTE_SETTER_HPP_
