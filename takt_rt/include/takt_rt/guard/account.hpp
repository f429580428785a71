// The guard's account of a process, in memory. The guarded process writes it, and `takt exec` reads
// it after the process has ended, even if the process was killed.
//
// Threads write the account without locks. A reader that reads it meanwhile sees values of
// different moments.
#ifndef TAKT_RT__GUARD__ACCOUNT_HPP_
#define TAKT_RT__GUARD__ACCOUNT_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt_rt/guard/kind.hpp"

namespace takt_rt
{

/// A name of scopes, in most cases the id of a callback.
struct GuardedName
{
  std::uint32_t begin = 0;  ///< of its text in `GuardAccount::texts`; a zero ends the text
  /// 1: a scope began with this name that is watched on threads of all policies.
  std::atomic<std::uint32_t> on_all_threads{0};
  std::atomic<std::uint64_t> runs{0};
  std::atomic<std::uint64_t> events{0};  ///< of all kinds
  /// Those of `events` that no list of the user ignores; see `GuardAccount::is_judged`.
  std::atomic<std::uint64_t> judged{0};
  /// Those of `events` that the other process had seen when it set `judged` last.
  std::atomic<std::uint64_t> seen{0};
};

/// A place of the program: events of one kind, in scopes of one name, with the same caller and the
/// same depth of the stack. Real programs rarely reach two places from one caller at one depth. If
/// they do, both count here, with the stack of the first.
struct GuardSite
{
  static constexpr std::size_t kFrames = 32;
  enum State : std::uint32_t
  {
    empty,
    filling,
    ready
  };

  std::atomic<std::uint32_t> state{empty};
  std::uint32_t name = 0;  ///< index in `GuardAccount::names`
  GuardKind kind{};
  std::int32_t thread = 0;      ///< of the first event
  std::array<char, 24> what{};  ///< the function, such as "malloc"
  std::uintptr_t caller = 0;    ///< caller and depth are the key
  std::uintptr_t depth = 0;     ///< bytes of stack since the begin of the scope
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::int64_t> total{0};  ///< ns
  std::atomic<std::int64_t> worst{0};  ///< ns
  std::uint32_t frame_count = 0;
  /// Innermost first: object << 48 | address in the object's file, as its symbols have it. If the
  /// object is kNoObject: the address in memory.
  std::array<std::uint64_t, kFrames> frames{};
};

/// A program or library to which frames belong.
struct GuardedObject
{
  std::array<char, 240> path{};
};

/// The call in which a thread waits now. Here `takt exec` finds calls that never returned.
struct GuardedThread
{
  std::atomic<std::uint32_t> used{0};
  std::atomic<std::int32_t> thread{0};
  std::atomic<std::uint32_t> running{
    0};                                ///< number of the innermost scope's name, from 1 on; 0: none
  std::atomic<std::uint32_t> name{0};  ///< of the scope that waits: index in `GuardAccount::names`
  std::atomic<std::uint32_t> site{
    0};  ///< index in `GuardAccount::sites`, plus 1; 0: the thread does not wait
  std::atomic<std::int64_t> since{0};  ///< on the monotonic clock, ns
  std::atomic<std::uintptr_t> object{
    0};  ///< address of the lock or condition for which it waits; 0: unknown
};

/// A wait of one scope that kept another scope from running, or for a lock that another scope held.
struct GuardedBlock
{
  enum Why : std::uint32_t
  {
    thread,  ///< the awaited callback was ready, but may run only on threads that waited, too
    group,   ///< the awaited callback was ready, but the waiting one kept their group busy
    lock     ///< the awaited scope held the lock
  };

  std::atomic<std::uint32_t> state{GuardSite::empty};
  std::uint32_t name = 0;     ///< of the scope that waited: index in `GuardAccount::names`
  std::uint32_t awaited = 0;  ///< of the other scope, likewise
  std::uint32_t site = 0;     ///< of the wait: index in `GuardAccount::sites`
  Why why = thread;
  std::int64_t since = 0;
  std::uintptr_t object = 0;
  std::atomic<std::int64_t> ended{0};      ///< when the wait ended; 0: it has not ended
  std::atomic<std::uint32_t> answered{0};  ///< 1: the awaited scope has signalled the object since
};

/// A thread for which the kernel does not give all places of page faults.
struct GuardedFaults
{
  enum Has : std::uint32_t
  {
    callers,       ///< the instruction of each fault, and of some the functions that called it
    instructions,  ///< the instruction of each fault
    number         ///< the number of faults
  };
  enum Limit : std::uint32_t
  {
    none,
    rights,         ///< `kernel.perf_event_paranoid`, or a container
    locked_memory,  ///< `kernel.perf_event_mlock_kb` and RLIMIT_MEMLOCK
    open_files      ///< RLIMIT_NOFILE
  };

  std::atomic<std::uint32_t> state{GuardSite::empty};
  std::int32_t thread = 0;
  std::array<char, 16> name{};  ///< the thread's name when it was prepared
  Has has = callers;
  Limit limit = none;
};

struct GuardAccount
{
  static constexpr std::uint64_t kMagic = 0x3764726175674b54;  // "TKguard7"
  static constexpr std::size_t kNames = 2048;
  static constexpr std::size_t kTexts = 192 * 1024;
  static constexpr std::size_t kSites = 4096;
  static constexpr std::uint32_t kObjects = 256;
  static constexpr std::size_t kThreads = 256;
  static constexpr std::size_t kBlocks = 64;
  static constexpr std::uint64_t kNoObject = 0xffff;

  std::uint64_t magic = kMagic;
  std::int32_t process = 0;
  std::atomic<std::uint32_t> ended{0};  ///< 1: the process ended by itself, by `exit`
  std::array<char, 240> program{};
  std::atomic<std::uint32_t> name_count{0};
  std::atomic<std::uint32_t> object_count{0};
  std::uint32_t text_bytes = 0;
  /// 1: another process knows the names of functions, and sets `GuardedName::judged` and `seen`
  /// while this one runs.
  std::uint32_t is_judged = 0;
  /// How often that process has set `GuardedName::judged` of all names.
  std::atomic<std::uint32_t> judge_looks{0};
  /// 1: page faults of at least one thread have an address.
  std::atomic<std::uint32_t> faults_have_places{0};
  /// The number of threads that `limited` names or has no room for.
  std::atomic<std::uint32_t> limited_count{0};
  /// The number of events for which the table had no place, by kind.
  std::array<std::atomic<std::uint64_t>, kGuardKinds> lost{};
  std::array<GuardedName, kNames> names{};
  std::array<char, kTexts> texts{};
  std::array<GuardedObject, kObjects> objects{};
  std::array<GuardedThread, kThreads> threads{};
  std::array<GuardedFaults, kThreads> limited{};
  std::atomic<std::uint32_t> block_count{0};  ///< 0: no entry is in use
  std::array<GuardedBlock, kBlocks> blocks{};
  std::array<GuardSite, kSites> sites{};

  /// The events of a name that raise alarms. Any thread; real-time safe.
  std::uint64_t alarming(std::size_t name) const noexcept
  {
    const GuardedName & one = names[name];
    return (is_judged != 0 ? one.judged : one.events).load(std::memory_order_relaxed);
  }
};

}  // namespace takt_rt

#endif  // TAKT_RT__GUARD__ACCOUNT_HPP_
