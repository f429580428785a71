// The guard's account of a process: memory that the guarded process writes, and that `takt exec` reads when the process
// has ended, however it ended.
//
// Threads write it without locks. A reader beside them sees each number by itself, not all of one moment.
#ifndef TAKT_RT__GUARD__ACCOUNT_HPP_
#define TAKT_RT__GUARD__ACCOUNT_HPP_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "takt_rt/guard/kind.hpp"

namespace takt_rt
{

/// A name of scopes; most are ids of callbacks.
struct GuardedName
{
  std::uint32_t begin = 0;  ///< of its text in `GuardAccount::texts`, which ends with a zero
  std::atomic<std::uint64_t> runs{0};
};

/// A place of the program that did something of one kind in scopes of one name: calls with the same caller and the same
/// depth of the stack. Real programs reach two places of one stack depth from one caller rarely, and then the stack is
/// that of the first.
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
  std::int32_t thread = 0;      ///< of the first time
  std::array<char, 24> what{};  ///< the function, such as "malloc"
  std::uintptr_t caller = 0;    ///< with the next one: the key
  std::uintptr_t depth = 0;     ///< bytes of stack since the scope began
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::int64_t> total{0};  ///< ns
  std::atomic<std::int64_t> worst{0};  ///< ns
  std::uint32_t frame_count = 0;
  /// Innermost first: object << 48 | offset in its file's addresses. Object kNoObject: the address itself.
  std::array<std::uint64_t, kFrames> frames{};
};

/// A program or library that frames lie in.
struct GuardedObject
{
  std::array<char, 240> path{};
};

/// What a thread waits for now; `takt exec` finds here what never ended.
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

/// A wait of one scope that kept another one from running, or that waited for a lock which another one held.
struct GuardedBlock
{
  enum Why : std::uint32_t
  {
    thread,  ///< the awaited callback was ready, but may run only on threads that waited so
    group,  ///< the awaited callback was ready, but the waiting one kept their exclusive group busy
    lock    ///< the awaited scope held the lock
  };

  std::atomic<std::uint32_t> state{GuardSite::empty};
  std::uint32_t name = 0;     ///< of the scope that waited: index in `GuardAccount::names`
  std::uint32_t awaited = 0;  ///< the other one
  std::uint32_t site = 0;     ///< where it waited: index in `GuardAccount::sites`
  Why why = thread;
  std::int64_t since = 0;
  std::uintptr_t object = 0;
  std::atomic<std::int64_t> ended{0};  ///< when the wait ended; 0: it has not
  std::atomic<std::uint32_t> answered{
    0};  ///< 1: the awaited one has signalled the object after all
};

struct GuardAccount
{
  static constexpr std::uint64_t kMagic = 0x3264726175674b54;  // "TKguard2"
  static constexpr std::size_t kNames = 2048;
  static constexpr std::size_t kTexts = 192 * 1024;
  static constexpr std::size_t kSites = 4096;
  static constexpr std::uint32_t kObjects = 256;
  static constexpr std::size_t kThreads = 256;
  static constexpr std::size_t kBlocks = 64;
  static constexpr std::uint64_t kNoObject = 0xffff;

  std::uint64_t magic = kMagic;
  std::int32_t process = 0;
  std::atomic<std::uint32_t> ended{0};  ///< 1: the process ended by itself
  std::array<char, 240> program{};
  std::atomic<std::uint32_t> name_count{0};
  std::atomic<std::uint32_t> object_count{0};
  std::uint32_t text_bytes = 0;
  /// 1: page faults have an address; 0: they are only counted.
  std::atomic<std::uint32_t> faults_have_places{0};
  /// Events that found no place in the table; by kind.
  std::array<std::atomic<std::uint64_t>, kGuardKinds> lost{};
  std::array<GuardedName, kNames> names{};
  std::array<char, kTexts> texts{};
  std::array<GuardedObject, kObjects> objects{};
  std::array<GuardedThread, kThreads> threads{};
  std::atomic<std::uint32_t> block_count{0};  ///< 0: none is in use
  std::array<GuardedBlock, kBlocks> blocks{};
  std::array<GuardSite, kSites> sites{};
};

}  // namespace takt_rt

#endif  // TAKT_RT__GUARD__ACCOUNT_HPP_
