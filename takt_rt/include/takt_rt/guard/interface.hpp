// The functions of libtakt_guard.so. takt_rt finds them if the library is preloaded or linked.
//
//     TAKT_GUARD         rt: watch callbacks on real-time threads; all: on all threads. The guard
//                        watches scopes of class Guard in any case.
//     TAKT_GUARD_DIR     folder in which each guarded process makes its account PID.guard; without
//                        the variable the account is in the memory of the process
//     TAKT_GUARD_JUDGED  1: another process reads the accounts in that folder while this one runs,
//                        and sets GuardedName::judged
#ifndef TAKT_RT__GUARD__INTERFACE_HPP_
#define TAKT_RT__GUARD__INTERFACE_HPP_

#include <cstdint>

#include "takt_rt/guard/account.hpp"

namespace takt_rt
{

struct GuardInterface
{
  static constexpr std::uint32_t kVersion = 4;

  std::uint32_t version;
  /// The number of a name of scopes, from 1 on; 0: the table is full. Set-up only; may block.
  std::uint32_t (*name)(const char * text);
  /// Makes this thread's counter of page faults. Without this call the thread's first scope makes
  /// it. Set-up only.
  void (*prepare_thread)();
  /// Begins a scope on this thread. `always`: also if the thread is not real-time. Returns 0 if the
  /// guard does not watch the scope; then do not call `leave`. Real-time safe.
  int (*enter)(std::uint32_t name, int always);
  /// Ends the thread's innermost scope. Real-time safe.
  void (*leave)();
  /// Sets `counts` to the events of the thread's innermost scope so far. Real-time safe.
  void (*counts)(GuardCounts * counts);
  /// The account; null: no scope has a name yet. Any thread; real-time safe.
  const GuardAccount * (*account)();
  /// Notes that `GuardAccount::threads[thread]` waits for the scope whose name has number
  /// `awaited`. Returns 1 if this is new. One thread at a time; does not allocate.
  int (*note_block)(std::uint32_t thread, std::uint32_t awaited, GuardedBlock::Why why);
  /// Sets a function that the guard calls after each event, on the thread of the event. The
  /// function must be real-time safe; its own events do not count. Times are of the monotonic
  /// clock, in ns. Null removes the function. There is one function at a time. Set-up only.
  void (*listen)(void (*listener)(GuardKind kind, std::int64_t begin, std::int64_t end));
  /// 1: the guard watches callbacks of executors (TAKT_GUARD is set).
  int (*watches_executors)();
};

}  // namespace takt_rt

extern "C" {
/// libtakt_guard.so exports this function.
const takt_rt::GuardInterface * takt_guard_interface(void);
}

#endif  // TAKT_RT__GUARD__INTERFACE_HPP_
