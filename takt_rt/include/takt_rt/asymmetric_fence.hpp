// A memory fence whose cost lies on one side.
//
// Two threads that each write one word and then read the other's need a fence between the two on
// both sides, or both may miss the other's write. Where one side does so at each dispatch and the
// other at set-up, the often used side takes a light fence, which costs nothing at run time, and
// the other one a heavy fence: the kernel then has every running thread of the process pass a full
// fence (membarrier(2)).
#ifndef TAKT_RT__ASYMMETRIC_FENCE_HPP_
#define TAKT_RT__ASYMMETRIC_FENCE_HPP_

#include <atomic>

namespace takt_rt
{

/// Whether `heavy_fence` works: Linux 4.14 or newer, and no filter that forbids it. The first call
/// asks the kernel. Set-up only.
bool has_heavy_fence() noexcept;

/// After its return each other thread's light fence either came before it, and then this thread
/// sees what that thread wrote before the light fence, or comes after it, and then that thread sees
/// what this one wrote before the heavy fence. Only if `has_heavy_fence`. One system call, which
/// interrupts the cores on which threads of this process run; keeps errno. Ends the process with a
/// message if the kernel refuses, as after a filter that the program installed since. Set-up only.
void heavy_fence() noexcept;

/// The other side of `heavy_fence`. Real-time safe; no instruction.
inline void light_fence() noexcept
{
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace takt_rt

#endif  // TAKT_RT__ASYMMETRIC_FENCE_HPP_
