#include "takt_core/isolation.hpp"

#include <string>

#include "takt_core/group.hpp"
#include "takt_core/thread_mask.hpp"
#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_core
{

Faults validate(const Isolation & isolation, const Group & group)
{
  // takt gives the thread the name of its node.
  Faults faults = validate(takt_rt::with_kept_name(isolation.attributes));
  if (isolation.threads < 1 || isolation.threads > kMaxThreads) {
    faults.push_back(
      std::to_string(isolation.threads) + " threads of its own are out of range; use 1 to 63");
  } else if (group.exclusive() && isolation.threads != 1) {
    faults.push_back(
      "the group is mutually exclusive, so one thread can run its callbacks, not " +
      std::to_string(isolation.threads));
  }
  return faults;
}

}  // namespace takt_core
