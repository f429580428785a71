// Executor threads for one callback group alone. They begin when the group's first callback is
// added to a spinning executor, and end after the removal of the last one.
//
// These threads do not count towards the 63 threads of thread sets: only the machine's thread limit
// bounds the number of isolated groups. They add no cost to dispatches on other threads.
#ifndef TAKT_CORE__ISOLATION_HPP_
#define TAKT_CORE__ISOLATION_HPP_

#include <cstdint>

#include "takt_rt/attributes.hpp"
#include "takt_rt/result.hpp"

namespace takt_core
{

using takt_rt::Faults;
using takt_rt::ThreadAttributes;

class Group;

/// How a group is isolated. Absent `attributes` are those of the thread that started the executor,
/// whichever thread adds the callback.
struct Isolation
{
  ThreadAttributes attributes{};  ///< no name: the executor names the thread
  std::uint32_t threads = 1;      ///< 1 to 63; one for a mutually exclusive group

  friend bool operator==(const Isolation &, const Isolation &) = default;
};

/// Every fault in `isolation` of `group` that is visible without a start. Set-up only.
Faults validate(const Isolation & isolation, const Group & group);

}  // namespace takt_core

#endif  // TAKT_CORE__ISOLATION_HPP_
