// A thread's page faults: the kernel writes the address of each into memory that the thread reads without a call.
//
// Where the kernel does not allow that (perf_event_paranoid, a container), the thread asks for its count before and
// after each scope, some 0.4 us each, and addresses are unknown.
#ifndef FAULTS_HPP_
#define FAULTS_HPP_

#include "thread_state.hpp"

namespace takt_guard
{

/// Set-up only.
void open_faults(ThreadState & state) noexcept;
void close_faults(ThreadState & state) noexcept;

/// At the begin of an outermost scope: faults before it do not count.
void begin_faults(ThreadState & state) noexcept;
/// Counts the faults since then, or since the last call, in the innermost scope. Call with `busy` set.
void count_faults(ThreadState & state) noexcept;

/// While it lives, faults are the guard's own.
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
