#include "takt_rt/memory_lock.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "unprivileged_child.hpp"

namespace takt_rt
{
namespace
{

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

#define SKIP_UNDER_SANITIZERS()                                                        \
  if (kSanitized) {                                                                    \
    GTEST_SKIP() << "sanitizers replace mlockall with nothing and malloc with theirs"; \
  }

std::size_t page_size()
{
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Kilobytes the kernel has locked for this process.
long locked_kb()
{
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmLck:", 0) == 0) {
      return std::stol(line.substr(6));
    }
  }
  return -1;
}

void touch_all(volatile char * block, std::size_t bytes)
{
  for (std::size_t offset = 0; offset < bytes; offset += page_size()) {
    block[offset] = 1;
  }
}

TEST(PageFaults, CountTheCallersFirstTouches)
{
  constexpr std::size_t kPages = 256;
  const std::size_t bytes = kPages * page_size();
  void * block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  ::madvise(block, bytes, MADV_NOHUGEPAGE);
  const PageFaults thread_before = thread_page_faults();
  const PageFaults process_before = process_page_faults();
  touch_all(static_cast<volatile char *>(block), bytes);
  EXPECT_GE(thread_page_faults().minor - thread_before.minor, kPages);
  EXPECT_GE(process_page_faults().minor - process_before.minor, kPages);
  ::munmap(block, bytes);
}

TEST(LockMemory, LocksAndUnlocks)
{
  SKIP_UNDER_SANITIZERS();
  const Status status = lock_memory();
  if (!status.ok()) {
    GTEST_SKIP() << "needs the right to lock memory: " << status.faults().front();
  }
  EXPECT_GT(locked_kb(), 0);
  unlock_memory();
  EXPECT_EQ(locked_kb(), 0);
}

TEST(LockMemory, AReservedHeapDoesNotFault)
{
  SKIP_UNDER_SANITIZERS();
  constexpr std::size_t kReserve = 32U << 20U;
  constexpr std::size_t kUsed = 16U << 20U;
  const Status status = lock_memory({.heap_bytes = kReserve});
  if (!status.ok()) {
    GTEST_SKIP() << "needs the right to lock memory: " << status.faults().front();
  }
  const PageFaults before = thread_page_faults();
  {
    const std::unique_ptr<char, decltype(&std::free)> block(
      static_cast<char *>(std::malloc(kUsed)), &std::free);
    touch_all(block.get(), kUsed);
  }
  const std::uint64_t faults = thread_page_faults().minor - before.minor;
  // Not zero: the kernel may move pages. First touches would cause one fault per page.
  EXPECT_LE(faults, kUsed / page_size() / 100);
  unlock_memory();
}

TEST(LockMemory, NamesTheMissingRight)
{
  SKIP_UNDER_SANITIZERS();
  const auto text = test::in_unprivileged_child([] {
    const Status status = lock_memory();
    return status.ok() ? std::string("granted") : to_string(status.faults().front());
  });
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("CAP_IPC_LOCK is missing and RLIMIT_MEMLOCK is 0"), std::string::npos)
    << *text;
  EXPECT_EQ(text->find("setcap"), std::string::npos) << *text;
}

TEST(LockMemory, NamesALimitThatIsTooSmall)
{
  SKIP_UNDER_SANITIZERS();
  const auto text = test::in_child([] {
    const rlimit small{65536, 65536};
    if (::setrlimit(RLIMIT_MEMLOCK, &small) != 0 || !test::become_nobody()) {
      return std::string("no child");
    }
    const Status status = lock_memory();
    return status.ok() ? std::string("granted") : to_string(status.faults().front());
  });
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("larger than RLIMIT_MEMLOCK, which is 65536 bytes"), std::string::npos)
    << *text;
}

TEST(LockMemory, TakesTheLockBackWhenTheLimitLeavesNoRoomForTheHeap)
{
  SKIP_UNDER_SANITIZERS();
  const auto text = test::in_child([] {
    const rlimit limit{64U << 20U, 64U << 20U};
    if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || !test::become_nobody()) {
      return std::string("no child");
    }
    const Status status = lock_memory({.heap_bytes = 128U << 20U});
    return (status.ok() ? std::string("granted") : to_string(status.faults().front())) +
           " locked " + std::to_string(locked_kb());
  });
  ASSERT_TRUE(text.has_value());
  if (text->find("no child") == 0) {
    GTEST_SKIP() << "needs the right to raise RLIMIT_MEMLOCK to 64 MiB";
  }
  EXPECT_NE(text->find("RLIMIT_MEMLOCK is 67108864 bytes"), std::string::npos) << *text;
  EXPECT_NE(text->find(" locked 0"), std::string::npos) << *text;
}

/// Runs `function` on a thread with a fresh stack of `bytes`; glibc may reuse a larger one that has
/// been touched before.
template <typename Function>
void on_stack_of(std::size_t bytes, Function function)
{
  void * stack =
    ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  pthread_attr_t attributes;
  ASSERT_EQ(::pthread_attr_init(&attributes), 0);
  ASSERT_EQ(::pthread_attr_setstack(&attributes, stack, bytes), 0);
  pthread_t thread{};
  const auto run = [](void * argument) -> void * {
    (*static_cast<Function *>(argument))();
    return nullptr;
  };
  ASSERT_EQ(::pthread_create(&thread, &attributes, run, &function), 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&attributes);
  ::munmap(stack, bytes);
}

[[gnu::noinline]] void use_stack(std::size_t bytes)
{
  touch_all(static_cast<volatile char *>(__builtin_alloca(bytes)), bytes);
}

TEST(PrefaultStack, TakesTheFaultsBeforehand)
{
  constexpr std::size_t kStack = 8U << 20U;
  constexpr std::size_t kUsed = 2U << 20U;
  on_stack_of(kStack, [] {
    ASSERT_TRUE(prefault_stack(4U << 20U).ok());
    const PageFaults before = thread_page_faults();
    use_stack(kUsed);
    const std::uint64_t faults = thread_page_faults().minor - before.minor;
    if (!kSanitized) {  // they touch their shadow of it as well
      EXPECT_LE(faults, kUsed / page_size() / 100);
    }
  });
}

TEST(PrefaultStack, RefusesMoreThanThereIs)
{
  on_stack_of(2U << 20U, [] {
    const Status status = prefault_stack(4U << 20U);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(to_string(status.faults().front()).find("larger stack_size"), std::string::npos);
    EXPECT_TRUE(prefault_stack(0).ok());
    const Status fits = prefault_stack(512U << 10U);
    EXPECT_TRUE(fits.ok()) << fits.faults().front();
    EXPECT_GT(stack_to_prefault(), 1U << 20U);
  });
  // The sanitizers' threads need the better part of a megabyte for themselves.
  static constexpr std::size_t kSmall = kSanitized ? 1U << 20U : 64U << 10U;
  on_stack_of(kSmall, [] {
    EXPECT_LT(stack_to_prefault(), kSmall);
    EXPECT_TRUE(prefault_stack(stack_to_prefault()).ok());
  });
}

TEST(PrefaultStack, WorksOnTheMainThread)
{
  EXPECT_TRUE(prefault_stack(1U << 20U).ok());
}

}  // namespace
}  // namespace takt_rt
