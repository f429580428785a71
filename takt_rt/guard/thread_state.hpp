// The guard's knowledge of the calling thread, and the recording of one event.
//
// Only the thread itself uses its state. No function of this file allocates, locks, or calls a
// function that this library replaces.
#ifndef THREAD_STATE_HPP_
#define THREAD_STATE_HPP_

#include <linux/perf_event.h>
#include <time.h>

#include <array>
#include <cstdint>

#include "takt_rt/guard/account.hpp"
#include "unwinder.hpp"

namespace takt_guard
{

using takt_rt::GuardAccount;
using takt_rt::GuardCounts;
using takt_rt::GuardedBlock;
using takt_rt::GuardedFaults;
using takt_rt::GuardedThread;
using takt_rt::GuardKind;
using takt_rt::GuardSite;
using takt_rt::kGuardKinds;

/// One scope of a thread.
struct Scope
{
  std::uint32_t name = 0;  ///< number from 1 on
  const char * base = nullptr;
  std::array<std::uint32_t, kGuardKinds> counts{};
};

struct ThreadState
{
  static constexpr std::uint32_t kScopes = 6;

  std::uint32_t depth = 0;  ///< open scopes; those beyond kScopes count with the last one
  bool busy = false;        ///< the guard works, or an event is in progress
  bool prepared = false;
  bool real_time = false;
  std::int64_t policy_read_at = 0;  ///< by the coarse clock
  std::int64_t thrown_at = 0;       ///< 0: no exception is between its throw and its handler
  GuardSite * thrown_from = nullptr;
  std::int32_t thread = 0;
  perf_event_mmap_page * faults = nullptr;
  int faults_file = -1;
  /// The minor ones of these faults with registers and stacks, as far as there is room. Null:
  /// without stacks.
  perf_event_mmap_page * stacks = nullptr;
  int stacks_file = -1;
  const StackCopy * fault_stack = nullptr;  ///< of the fault that is noted now; null: none
  std::int64_t faults_before = 0;           ///< without perf: the kernel's number at the last count
  bool counts_faults = false;
  bool lost_before = false;  // the next record of lost samples is of dropped faults
  GuardedThread * shown = nullptr;
  std::array<Scope, kScopes> scopes{};

  Scope & scope() noexcept { return scopes[depth <= kScopes ? depth - 1 : kScopes - 1]; }
};

// For a preloaded or linked library the loader fixes the variable's address before any code of the
// library runs.
extern __attribute__((tls_model("initial-exec"))) thread_local constinit ThreadState t_state;

/// True if an event of this thread counts now.
inline bool watching() noexcept
{
  return __builtin_expect(static_cast<long>(t_state.depth != 0 && !t_state.busy), 0) != 0;
}

inline std::int64_t now() noexcept
{
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// The place of an event; makes a place for a new event. Null: the table is full. Call with `busy`
/// set.
GuardSite * find_site(
  ThreadState & state, GuardKind kind, const char * what, const void * caller,
  const void * frame) noexcept;

/// Counts an event of the innermost scope at its place, which may be null. `begin`, `time`: when
/// the event began, and its length. Call with `busy` set.
void count(
  ThreadState & state, GuardKind kind, GuardSite * site, std::int64_t begin,
  std::int64_t time) noexcept;

/// See GuardInterface::listen.
void listen(void (*listener)(GuardKind kind, std::int64_t begin, std::int64_t end));

/// Adds the time of one event to the place's total and maximum.
void add_time(GuardSite & site, std::int64_t time) noexcept;

/// The account; null: no scope has a name yet.
GuardAccount * account() noexcept;

/// Notes that the innermost scope signals a condition, semaphore or futex. A thread that waits for
/// it may have waited for this scope.
void signals(const void * object) noexcept;

/// An event, from construction to destruction. In between no other event of this thread counts.
class Event
{
public:
  /// `caller`, `frame`: caller and frame of the function that replaces the C library's.
  Event(GuardKind kind, const char * what, const void * caller, const void * frame) noexcept
  : kind_(kind),
    what_(what),
    caller_(caller),
    frame_(frame)
  {
    t_state.busy = true;
    begin_ = now();
  }
  ~Event() { end(); }
  Event(const Event &) = delete;
  Event & operator=(const Event &) = delete;

  /// The call may never return: from now on the account shows that the thread waits, and for which
  /// `object`, if that is known.
  void waits(const void * object = nullptr) noexcept;
  /// The call did not wait after all: do not count the event.
  void forget() noexcept { forgotten_ = true; }

private:
  void end() noexcept;

  const GuardKind kind_;
  const char * const what_;
  const void * const caller_;
  const void * const frame_;
  GuardSite * site_ = nullptr;
  std::int64_t begin_ = 0;
  bool forgotten_ = false;
};

}  // namespace takt_guard

#endif  // THREAD_STATE_HPP_
