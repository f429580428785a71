#include "takt_rt/memory_lock.hpp"

#include <alloca.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace takt_rt
{
namespace
{

// glibc's defaults, restored by unlock_memory: see mallopt(3).
constexpr int kDefaultTrimThreshold = 128 * 1024;
constexpr int kDefaultMmapMax = 65536;
/// For the frames of touch_stack() and of signal handlers.
constexpr std::size_t kStackMargin = 16 * 1024;

std::size_t page_size()
{
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string memlock_limit()
{
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur) + " bytes";
}

std::string memlock_remedy()
{
  return "; add '- memlock unlimited' for this user in /etc/security/limits.d and log in again, or "
         "grant CAP_IPC_LOCK (AmbientCapabilities=CAP_IPC_LOCK in the systemd unit that starts the "
         "program; docker --cap-add=IPC_LOCK --ulimit memlock=-1)";
}

std::string explain_lock_refusal(int error)
{
  const std::string what = "locking memory refused: ";
  switch (error) {
    case EPERM:
      return what + "CAP_IPC_LOCK is missing and RLIMIT_MEMLOCK is " + memlock_limit() +
             memlock_remedy();
    case ENOMEM:
      return what + "the process is larger than RLIMIT_MEMLOCK, which is " + memlock_limit() +
             memlock_remedy();
    default:
      return what + std::generic_category().message(error);
  }
}

void touch(volatile char * first, std::size_t bytes)
{
  // Downwards, as a stack grows. The last written byte may share its page with a neighbour of the
  // block, but is always inside the block.
  for (std::size_t offset = bytes; offset > 0;) {
    first[offset - 1] = 0;
    offset -= offset < page_size() ? offset : page_size();
  }
  if (bytes > 0) {
    first[0] = 0;
  }
}

Status reserve_heap(std::size_t bytes)
{
  void * block = std::malloc(bytes);
  if (block == nullptr && bytes > 0) {
    return Faults{
      "no memory for a heap reserve of " + std::to_string(bytes) + " bytes; RLIMIT_MEMLOCK is " +
      memlock_limit() + " and counts all memory once it is locked" + memlock_remedy()};
  }
  touch(static_cast<volatile char *>(block), bytes);
  std::free(block);
  return {};
}

[[gnu::noinline]] void touch_stack(std::size_t bytes)
{
  touch(static_cast<volatile char *>(alloca(bytes)), bytes);
}

/// Bytes between the calling frame and the end of the thread's stack.
std::size_t stack_left()
{
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) {
    return 0;
  }
  void * lowest = nullptr;
  std::size_t size = 0;
  std::size_t guard = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_getguardsize(&attributes, &guard);
  ::pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<std::uintptr_t>(lowest) + guard;
  return here > end && here <= end + size ? here - end : 0;
}

PageFaults faults_of(int who) noexcept
{
  rusage usage{};
  ::getrusage(who, &usage);
  return {static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_majflt)};
}

void append(Faults & faults, const Status & status)
{
  faults.insert(faults.end(), status.faults().begin(), status.faults().end());
}

}  // namespace

Status lock_memory(const MemoryLockOptions & options)
{
  Faults faults;
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_MMAP_MAX, 0);
  if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    faults.push_back(explain_lock_refusal(errno));
  }
  const Status heap = reserve_heap(options.heap_bytes);
  append(faults, heap);
  append(faults, prefault_stack(options.stack_bytes));
  if (!heap.ok()) {
    // Under so tight a limit every later allocation and thread could fail too.
    unlock_memory();
  }
  return faults;
}

void unlock_memory()
{
  ::munlockall();
  ::mallopt(M_TRIM_THRESHOLD, kDefaultTrimThreshold);
  ::mallopt(M_MMAP_MAX, kDefaultMmapMax);
}

std::size_t stack_to_prefault()
{
  // The caller may be some frames deeper when it does.
  const std::size_t kept = kStackMargin + page_size();
  const std::size_t left = stack_left();
  return left > kept ? left - kept : 0;
}

Status prefault_stack(std::size_t bytes)
{
  if (bytes == 0) {
    return {};
  }
  const std::size_t left = stack_left();
  if (left < kStackMargin || bytes > left - kStackMargin) {
    return Faults{
      "no room to prefault " + std::to_string(bytes) + " bytes of stack: " + std::to_string(left) +
      " are left, of which " + std::to_string(kStackMargin) +
      " are kept; give the thread a larger stack_size"};
  }
  touch_stack(bytes);
  return {};
}

PageFaults thread_page_faults() noexcept
{
  return faults_of(RUSAGE_THREAD);
}

PageFaults process_page_faults() noexcept
{
  return faults_of(RUSAGE_SELF);
}

}  // namespace takt_rt
