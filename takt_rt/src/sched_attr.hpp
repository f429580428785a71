// sched_setattr(2) and sched_getattr(2), which glibc wraps only since 2.41.
//
// Internal. Real-time safe: one system call each, no allocation. Both return 0 or an errno and
// leave `errno` as the system call set it.
#ifndef TAKT_RT__SCHED_ATTR_HPP_
#define TAKT_RT__SCHED_ATTR_HPP_

#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "takt_rt/thread_attributes.hpp"

namespace takt_rt::detail
{

/// Only the kernel's own headers, which clash with glibc's, have it.
inline constexpr std::uint32_t kSchedDeadline = 6;
inline constexpr std::uint64_t kResetOnFork = 0x01;

/// The kernel's struct sched_attr, first published version (48 bytes). Later fields are optional.
struct SchedAttr
{
  std::uint32_t size = sizeof(SchedAttr);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};
static_assert(sizeof(SchedAttr) == 48);

inline int sched_setattr(pid_t tid, SchedAttr attr) noexcept
{
  return ::syscall(SYS_sched_setattr, tid, &attr, 0U) == 0 ? 0 : errno;
}

inline int sched_getattr(pid_t tid, SchedAttr & attr) noexcept
{
  return ::syscall(SYS_sched_getattr, tid, &attr, sizeof(SchedAttr), 0U) == 0 ? 0 : errno;
}

constexpr std::uint32_t to_kernel(Policy policy) noexcept
{
  switch (policy) {
    case Policy::inherit:
    case Policy::other:
      return SCHED_OTHER;
    case Policy::batch:
      return SCHED_BATCH;
    case Policy::idle:
      return SCHED_IDLE;
    case Policy::fifo:
      return SCHED_FIFO;
    case Policy::rr:
      return SCHED_RR;
    case Policy::deadline:
      return kSchedDeadline;
  }
  return SCHED_OTHER;
}

/// Policies that this library does not set (SCHED_EXT) run among the fair ones: `other`.
constexpr Policy from_kernel(std::uint32_t policy) noexcept
{
  switch (policy) {
    case SCHED_BATCH:
      return Policy::batch;
    case SCHED_IDLE:
      return Policy::idle;
    case SCHED_FIFO:
      return Policy::fifo;
    case SCHED_RR:
      return Policy::rr;
    case kSchedDeadline:
      return Policy::deadline;
    default:
      return Policy::other;
  }
}

}  // namespace takt_rt::detail

#endif  // TAKT_RT__SCHED_ATTR_HPP_
