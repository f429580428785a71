// What the guard knows of the calling thread, and the noting of one event.
//
// All of it is for the thread itself. Nothing here allocates, locks or calls a function that this library replaces.
#ifndef THREAD_STATE_HPP_
#define THREAD_STATE_HPP_

#include <linux/perf_event.h>
#include <time.h>

#include <array>
#include <cstdint>

#include "takt_rt/guard/account.hpp"

namespace takt_guard
{

using takt_rt::GuardAccount;
using takt_rt::GuardCounts;
using takt_rt::GuardedBlock;
using takt_rt::GuardedThread;
using takt_rt::GuardKind;
using takt_rt::GuardSite;
using takt_rt::kGuardKinds;

/// One scope of a thread.
struct Scope
{
  std::uint32_t name = 0;  ///< from 1 on
  const char * base = nullptr;
  std::array<std::uint32_t, kGuardKinds> counts{};
};

struct ThreadState
{
  static constexpr std::uint32_t kScopes = 6;

  std::uint32_t depth = 0;  ///< scopes; those beyond kScopes count with the last one
  bool busy = false;        ///< the guard itself works, or an event is under way
  bool prepared = false;
  bool real_time = false;
  std::int64_t policy_read_at = 0;  ///< coarse clock
  std::int64_t thrown_at = 0;       ///< 0: no exception is on its way
  GuardSite * thrown_from = nullptr;
  std::int32_t thread = 0;
  perf_event_mmap_page * faults = nullptr;
  int faults_file = -1;
  std::int64_t faults_before = 0;  ///< without perf: the kernel's count when they were last counted
  bool counts_faults = false;
  GuardedThread * shown = nullptr;
  std::array<Scope, kScopes> scopes{};

  Scope & scope() noexcept { return scopes[depth <= kScopes ? depth - 1 : kScopes - 1]; }
};

// The address of a preloaded or linked library's variable is fixed before any of its code runs.
extern __attribute__((tls_model("initial-exec"))) thread_local constinit ThreadState t_state;

/// Whether an event of this thread counts now.
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

/// The place of an event; makes it if it is new. Null: the table is full. Call with `busy` set.
GuardSite * find_site(
  ThreadState & state, GuardKind kind, const char * what, const void * caller,
  const void * frame) noexcept;

/// Counts an event of the innermost scope at its place (may be null), which began and took so long. Call with `busy` set.
void count(
  ThreadState & state, GuardKind kind, GuardSite * site, std::int64_t begin,
  std::int64_t time) noexcept;

/// See GuardInterface::listen.
void listen(void (*listener)(GuardKind kind, std::int64_t begin, std::int64_t end));

/// Adds the time of one event.
void add_time(GuardSite & site, std::int64_t time) noexcept;

/// The account; null: no scope has a name yet.
GuardAccount * account() noexcept;

/// The innermost scope signals a condition, semaphore or futex: a wait for it may have been that for this scope.
void signals(const void * object) noexcept;

/// An event from its begin to its end, while which nothing else of this thread counts.
class Event
{
public:
  /// `caller`, `frame`: of the function that replaces the program's.
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

  /// The call may take for ever: others see from now on that the thread waits, for `object` if it is known.
  void waits(const void * object = nullptr) noexcept;
  /// It was none after all.
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
