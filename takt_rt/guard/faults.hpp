// Counts the page faults of a thread. The kernel writes the address of each fault into memory,
// which the thread reads without a system call. It also writes the registers and the top of the
// stack, for some minor faults of a scope: these show which code of the program caused the fault.
// Of the others, and where the kernel gives no memory for stacks, only the instruction is known.
// The kernel limits the memory of all threads of a user together, so each thread has rings that
// leave enough for other threads (ring_sizes.hpp).
//
// Where the kernel does not allow that (perf_event_paranoid, a container), the thread asks the
// kernel for its number of faults before and after each scope. That costs some 0.4 us each time,
// and the addresses stay unknown.
#ifndef FAULTS_HPP_
#define FAULTS_HPP_

#include "thread_state.hpp"

namespace takt_guard
{

/// True if the address is in this library's own code or data.
bool is_own(std::uintptr_t address) noexcept;

/// What the kernel tells of a thread's faults, and the limit that keeps it from telling more.
struct PlacesOfFaults
{
  GuardedFaults::Has has = GuardedFaults::callers;
  GuardedFaults::Limit limit = GuardedFaults::none;
};

/// Opens the thread's counter of page faults. Set-up only.
PlacesOfFaults open_faults(ThreadState & state) noexcept;
void close_faults(ThreadState & state) noexcept;

/// Call at the begin of an outermost scope: earlier faults do not count.
void begin_faults(ThreadState & state) noexcept;
/// Counts the faults since `begin_faults` or the last call of this function, in the innermost
/// scope. Call with `busy` set.
void count_faults(ThreadState & state) noexcept;

/// While the object lives, the thread's faults are the guard's own and do not count.
class FaultsOfTheGuard
{
public:
  explicit FaultsOfTheGuard(ThreadState & state) noexcept;
  ~FaultsOfTheGuard();
  FaultsOfTheGuard(const FaultsOfTheGuard &) = delete;
  FaultsOfTheGuard & operator=(const FaultsOfTheGuard &) = delete;

private:
  ThreadState & state_;
  const bool nested_;
};

}  // namespace takt_guard

#endif  // FAULTS_HPP_
