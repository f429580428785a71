// What the guard notes while a scope runs.
#ifndef TAKT_RT__GUARD__KIND_HPP_
#define TAKT_RT__GUARD__KIND_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt_rt
{

enum class GuardKind : std::uint32_t
{
  allocation,  ///< malloc and its like, `new`
  free,        ///< free, `delete`
  lock,  ///< a mutex without priority inheritance, or a reader-writer lock, that another thread held
  wait,         ///< condition variable, semaphore, future, latch, join
  system_call,  ///< a call of the kernel that may block, such as read, poll, open, mmap
  output,       ///< printf, std::cout, a log line: text to a stream
  page_fault,   ///< memory that was not there
  sleep,        ///< nanosleep and its like
  thread,       ///< the start of a thread or of a process
  exception,    ///< a throw
};

inline constexpr std::size_t kGuardKinds = 10;

/// How often each kind happened; the index is the kind's number.
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
