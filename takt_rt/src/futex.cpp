#include "takt_rt/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace takt_rt
{

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(sizeof(time_t) == sizeof(long), "SYS_futex takes the kernel's own timespec");

namespace
{

// A time before the clock's origin is as past as the origin; the kernel refuses it.
timespec absolute(Time deadline) noexcept
{
  const std::int64_t ns = std::max<std::int64_t>(to_ns(deadline), 0);
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec time{};
  time.tv_sec = ns / kSecond;
  time.tv_nsec = ns % kSecond;
  return time;
}

WaitResult result_of(int error) noexcept
{
  switch (error) {
    case EAGAIN:
      return WaitResult::changed;
    case ETIMEDOUT:
      return WaitResult::timed_out;
    case EINTR:
      return WaitResult::interrupted;
    default:
      return WaitResult::woken;
  }
}

WaitResult wait(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline,
  int scope) noexcept
{
  const int saved_errno = errno;
  const timespec timeout = absolute(deadline);
  // WAIT_BITSET is the variant whose timeout is absolute; CLOCK_MONOTONIC is its default clock.
  const long result = ::syscall(
    SYS_futex, &word, FUTEX_WAIT_BITSET | scope, expected, deadline == kNever ? nullptr : &timeout,
    nullptr, FUTEX_BITSET_MATCH_ANY);
  const int error = result == 0 ? 0 : errno;
  errno = saved_errno;
  return result_of(error);
}

int wake(const std::atomic<std::uint32_t> & word, int count, int scope) noexcept
{
  const int saved_errno = errno;
  const long woken = ::syscall(SYS_futex, &word, FUTEX_WAKE | scope, count, nullptr, nullptr, 0);
  errno = saved_errno;
  return woken < 0 ? 0 : static_cast<int>(woken);
}

constexpr int kProcess = FUTEX_PRIVATE_FLAG;
constexpr int kShared = 0;

// futex_waitv(2). Headers of distributions that takt is built on lack it; the number is that of all
// architectures.
constexpr long kWaitAny = 449;
constexpr std::uint32_t kWordOf32Bits = 2;
struct KernelWord
{
  std::uint64_t value;
  std::uint64_t address;
  std::uint32_t flags;
  std::uint32_t reserved;
};

}  // namespace

WaitResult futex_wait(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline) noexcept
{
  return wait(word, expected, deadline, kProcess);
}

int futex_wake(const std::atomic<std::uint32_t> & word, int count) noexcept
{
  return wake(word, count, kProcess);
}

WaitResult futex_wait_shared(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline) noexcept
{
  return wait(word, expected, deadline, kShared);
}

int futex_wake_shared(const std::atomic<std::uint32_t> & word, int count) noexcept
{
  return wake(word, count, kShared);
}

bool has_futex_wait_any() noexcept
{
  const int saved_errno = errno;
  // No word at all is an invalid argument, where the call exists.
  const bool there =
    ::syscall(kWaitAny, nullptr, 0, 0, nullptr, CLOCK_MONOTONIC) < 0 && errno == EINVAL;
  errno = saved_errno;
  return there;
}

WaitResult futex_wait_any(const AwaitedWord * words, std::size_t count, Time deadline) noexcept
{
  const int saved_errno = errno;
  KernelWord all[kMostAwaitedWords];
  for (std::size_t i = 0; i < count; ++i) {
    const AwaitedWord & one = words[i];
    all[i].value = one.expected;
    all[i].address = reinterpret_cast<std::uintptr_t>(one.word);
    all[i].flags =
      kWordOf32Bits | static_cast<std::uint32_t>(one.shared ? kShared : FUTEX_PRIVATE_FLAG);
    all[i].reserved = 0;
  }
  const timespec timeout = absolute(deadline);
  const long result =
    ::syscall(kWaitAny, all, count, 0, deadline == kNever ? nullptr : &timeout, CLOCK_MONOTONIC);
  const int error = result >= 0 ? 0 : errno;
  errno = saved_errno;
  return result_of(error);
}

}  // namespace takt_rt
