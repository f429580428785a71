// Affinity masks of any width as sorted lists of cores.
//
// Internal, set-up only: allocates.
#ifndef TAKT_RT__AFFINITY_HPP_
#define TAKT_RT__AFFINITY_HPP_

#include <sys/types.h>

#include <vector>

namespace takt_rt::detail
{

/// Cores thread `tid` (0: the caller) may use, ascending; empty if there is no such thread.
std::vector<int> read_affinity(pid_t tid);

/// Asks for exactly `cores` (none negative). Returns 0 or an errno. The kernel grants silently what
/// the thread's cpuset has of them, so read them back.
int write_affinity(pid_t tid, const std::vector<int> & cores);

}  // namespace takt_rt::detail

#endif  // TAKT_RT__AFFINITY_HPP_
