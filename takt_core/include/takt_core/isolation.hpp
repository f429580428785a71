// Executor threads that belong to one callback group alone. They begin when the group's first callback is added to an
// executor that spins, and end when the last one has been removed.
//
// They are outside the thread sets, which have at most 63 threads: an executor has as many isolated groups as the
// machine has threads for, and none of them costs a dispatch on the other threads anything.
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

/// How a group is isolated. What `attributes` leave open the threads have from the thread that started the executor,
/// whichever thread adds the callback.
struct Isolation
{
  ThreadAttributes attributes{};  ///< without a name: that of the executor
  std::uint32_t threads = 1;      ///< 1 to 63; one for a mutually exclusive group

  friend bool operator==(const Isolation &, const Isolation &) = default;
};

/// Every fault in `isolation` of `group` that can be seen without starting a thread. Set-up only.
Faults validate(const Isolation & isolation, const Group & group);

}  // namespace takt_core

#endif  // TAKT_CORE__ISOLATION_HPP_
