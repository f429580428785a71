// The cores that a process was started with, where somebody read them before takt was loaded.
#ifndef TAKT_CORE__START_CORES_HPP_
#define TAKT_CORE__START_CORES_HPP_

#include <vector>

namespace takt_core
{

/// `usable_cores` gives these from now on: the threads that load takt late may have pinned themselves before. Once,
/// before anything of takt starts threads.
void set_usable_cores(const std::vector<int> & cores);

}  // namespace takt_core

#endif  // TAKT_CORE__START_CORES_HPP_
