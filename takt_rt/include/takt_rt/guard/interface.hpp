// The functions of libtakt_guard.so, by which takt_rt finds it where it was preloaded or linked.
//
//     TAKT_GUARD       rt: callbacks on real-time threads; all: on any thread. Scopes of class Guard are always watched.
//     TAKT_GUARD_DIR   folder in which each guarded process makes its account PID.guard; without it the account is
//                      in the process's own memory
#ifndef TAKT_RT__GUARD__INTERFACE_HPP_
#define TAKT_RT__GUARD__INTERFACE_HPP_

#include <cstdint>

#include "takt_rt/guard/account.hpp"

namespace takt_rt
{

struct GuardInterface
{
  static constexpr std::uint32_t kVersion = 2;

  std::uint32_t version;
  /// The number of a name of scopes, from 1 on; 0: the table is full. Set-up only; may block.
  std::uint32_t (*name)(const char * text);
  /// Makes this thread's counter of page faults. Set-up only. Without it the thread's first scope does it.
  void (*prepare_thread)();
  /// Begins a scope on this thread. `always`: also on a thread that is not real-time. Returns 0 if the scope is not
  /// watched; then `leave` must not be called. Real-time safe.
  int (*enter)(std::uint32_t name, int always);
  /// Ends the thread's innermost scope. Real-time safe.
  void (*leave)();
  /// What happened in the thread's innermost scope so far. Real-time safe.
  void (*counts)(GuardCounts * counts);
  /// The account; null: no scope has a name yet. Any thread; real-time safe.
  const GuardAccount * (*account)();
  /// Notes that the wait of `GuardAccount::threads[thread]` concerns the scope of name number `awaited`. Returns 1 if that is
  /// new. One thread at a time; allocates nothing.
  int (*note_block)(std::uint32_t thread, std::uint32_t awaited, GuardedBlock::Why why);
  /// Calls the function after each event, on its thread; it must be real-time safe, and nothing that it does counts.
  /// Times on the monotonic clock, ns. Null: none any more. One function at a time. Set-up only.
  void (*listen)(void (*listener)(GuardKind kind, std::int64_t begin, std::int64_t end));
  /// 1: callbacks of executors are to be watched (TAKT_GUARD is set).
  int (*watches_executors)();
};

}  // namespace takt_rt

extern "C" {
/// Exported by libtakt_guard.so.
const takt_rt::GuardInterface * takt_guard_interface(void);
}

#endif  // TAKT_RT__GUARD__INTERFACE_HPP_
