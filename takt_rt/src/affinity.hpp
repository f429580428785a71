// Affinity masks of any width as sorted lists of cores.
//
// Internal, set-up only: allocates.
#ifndef TAKT_RT__AFFINITY_HPP_
#define TAKT_RT__AFFINITY_HPP_

#include <sys/types.h>

#include <vector>

namespace takt_rt::detail
{

/// Cores that thread `tid` (0: the caller) may use, ascending; empty for an unknown thread.
std::vector<int> read_affinity(pid_t tid);

/// Requests exactly `cores` (none negative). Returns 0 or an errno. The kernel silently drops cores
/// outside the thread's cpuset, so read them back.
int write_affinity(pid_t tid, const std::vector<int> & cores);

}  // namespace takt_rt::detail

#endif  // TAKT_RT__AFFINITY_HPP_
