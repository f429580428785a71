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

WaitResult wait(
  const std::atomic<std::uint32_t> & word, std::uint32_t expected, Time deadline,
  int scope) noexcept
{
  const int saved_errno = errno;
  // A time before the clock's origin is as past as the origin; the kernel refuses it.
  const std::int64_t ns = std::max<std::int64_t>(to_ns(deadline), 0);
  constexpr std::int64_t kSecond = 1'000'000'000;
  timespec timeout{};
  timeout.tv_sec = ns / kSecond;
  timeout.tv_nsec = ns % kSecond;
  // WAIT_BITSET is the variant whose timeout is absolute; CLOCK_MONOTONIC is its default clock.
  const long result = ::syscall(
    SYS_futex, &word, FUTEX_WAIT_BITSET | scope, expected, deadline == kNever ? nullptr : &timeout,
    nullptr, FUTEX_BITSET_MATCH_ANY);
  const int error = result == 0 ? 0 : errno;
  errno = saved_errno;
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

int wake(const std::atomic<std::uint32_t> & word, int count, int scope) noexcept
{
  const int saved_errno = errno;
  const long woken = ::syscall(SYS_futex, &word, FUTEX_WAKE | scope, count, nullptr, nullptr, 0);
  errno = saved_errno;
  return woken < 0 ? 0 : static_cast<int>(woken);
}

constexpr int kProcess = FUTEX_PRIVATE_FLAG;
constexpr int kShared = 0;

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

}  // namespace takt_rt
