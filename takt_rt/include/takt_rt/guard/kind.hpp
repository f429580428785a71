// The kinds of events that the guard notes in a scope.
#ifndef TAKT_RT__GUARD__KIND_HPP_
#define TAKT_RT__GUARD__KIND_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt_rt
{

enum class GuardKind : std::uint32_t
{
  allocation,  ///< malloc and similar functions, `new`
  free,        ///< free, `delete`
  lock,  ///< a mutex without priority inheritance, or a reader-writer lock, that another thread
         ///< held
  wait,  ///< condition variable, semaphore, future, latch, join
  system_call,  ///< a call of the kernel that may block, such as read, poll, open, mmap
  output,       ///< text to a stream: printf, std::cout, a log line
  page_fault,   ///< an access to memory whose page was not present
  sleep,        ///< nanosleep and similar functions
  thread,       ///< the start of a thread or of a process
  exception,    ///< a throw
};

inline constexpr std::size_t kGuardKinds = 10;

/// The number of events of each kind; the index is the kind's number.
struct GuardCounts
{
  std::array<std::uint64_t, kGuardKinds> counts{};

  std::uint64_t of(GuardKind kind) const noexcept { return counts[static_cast<std::size_t>(kind)]; }
  std::uint64_t all() const noexcept
  {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : counts) {
      sum += one;
    }
    return sum;
  }
};

/// The word for the kind in reports, such as "page_fault". Real-time safe.
constexpr const char * guard_kind_name(GuardKind kind) noexcept
{
  constexpr std::array<const char *, kGuardKinds> kNames{
    "allocation", "free",       "lock",  "wait",   "system_call",
    "output",     "page_fault", "sleep", "thread", "exception"};
  const auto index = static_cast<std::size_t>(kind);
  return index < kNames.size() ? kNames[index] : "unknown";
}

}  // namespace takt_rt

#endif  // TAKT_RT__GUARD__KIND_HPP_
