// The guard in a program that links it: scopes, their counts, and the helpers for tests.
#include "takt_rt/guard/guard.hpp"

#include <gtest/gtest.h>
#include <link.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "takt_rt/guard/gtest.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "unprivileged_child.hpp"

namespace takt_rt::test
{
namespace
{

using namespace std::chrono_literals;

void allocate()
{
  const std::vector<int> values(10);
  ASSERT_EQ(values.size(), 10U);
}

const GuardedName * find(const GuardAccount & account, const std::string & name)
{
  for (std::uint32_t i = 0; i < account.name_count.load(); ++i) {
    if (name == &account.texts[account.names[i].begin]) {
      return &account.names[i];
    }
  }
  return nullptr;
}

TEST(Guard, is_there_because_the_program_links_it)
{
  ASSERT_NE(guard_library(), nullptr);
}

TEST(Guard, counts_by_kind_what_happens_in_its_scope)
{
  const GuardName name("counted");
  allocate();
  const Guard guard(name);
  ASSERT_TRUE(guard.watches());
  allocate();
  EXPECT_EQ(guard.counts().of(GuardKind::allocation), 1U);
  EXPECT_EQ(guard.counts().of(GuardKind::free), 1U);
  std::this_thread::sleep_for(1ms);
  EXPECT_EQ(guard.counts().of(GuardKind::sleep), 1U);
  EXPECT_EQ(guard.counts().of(GuardKind::output), 0U);
}

TEST(Guard, an_inner_scope_counts_for_the_outer_one_too)
{
  const GuardName outer_name("outer");
  const GuardName inner_name("inner");
  const Guard outer(outer_name);
  {
    const Guard inner(inner_name);
    allocate();
    EXPECT_EQ(inner.counts().of(GuardKind::allocation), 1U);
  }
  allocate();
  EXPECT_EQ(outer.counts().of(GuardKind::allocation), 2U);
}

TEST(Guard, counts_scopes_beyond_the_deepest_with_it)
{
  const GuardName name("deep");
  const Guard one(name);
  const Guard two(name);
  const Guard three(name);
  const Guard four(name);
  const Guard five(name);
  const Guard six(name);
  {
    const Guard seven(name);
    const Guard eight(name);
    allocate();
  }
  EXPECT_EQ(six.counts().of(GuardKind::allocation), 1U);
}

TEST(Guard, a_place_has_the_time_and_the_stack_of_what_it_did)
{
  const GuardName name("place");
  for (int i = 0; i < 3; ++i) {
    const Guard guard(name);
    std::this_thread::sleep_for(2ms);
  }
  const GuardAccount & account = *guard_library()->account();
  const auto number = static_cast<std::uint32_t>(find(account, "place") - account.names.data());
  int places = 0;
  for (const GuardSite & site : account.sites) {
    if (site.state == GuardSite::ready && site.name == number && site.kind == GuardKind::sleep) {
      ++places;
      EXPECT_EQ(site.count.load(), 3U);
      EXPECT_GE(site.worst.load(), 2'000'000);
      EXPECT_GE(site.total.load(), 6'000'000);
      EXPECT_GT(site.frame_count, 1U);
    }
  }
  EXPECT_EQ(places, 1);
  EXPECT_EQ(find(account, "place")->runs.load(), 3U);
}

// The number of threads that wait now, according to the account.
int waiting_threads()
{
  int waiting = 0;
  for (const GuardedThread & thread : guard_library()->account()->threads) {
    waiting += thread.site.load() != 0 ? 1 : 0;
  }
  return waiting;
}

TEST(Guard, a_lock_that_another_thread_holds_counts_and_shows_while_it_waits)
{
  const GuardName name("waits for a lock");
  std::mutex mutex;
  mutex.lock();
  std::uint64_t waits = 0;
  std::thread other([&] {
    const Guard guard(name);
    mutex.lock();
    mutex.unlock();
    waits = guard.counts().of(GuardKind::lock);
  });
  while (waiting_threads() == 0) {
    std::this_thread::yield();
  }
  mutex.unlock();
  other.join();
  EXPECT_EQ(waits, 1U);
  EXPECT_EQ(waiting_threads(), 0);
}

TEST(Guard, a_free_lock_and_one_with_priority_inheritance_are_no_faults)
{
  const GuardName name("locks");
  std::mutex free;
  PiMutex inheriting;
  inheriting.lock();
  GuardCounts counts;
  std::atomic<bool> begun{false};
  std::thread other([&] {
    const Guard guard(name);
    free.lock();
    free.unlock();
    begun = true;
    inheriting.lock();
    inheriting.unlock();
    counts = guard.counts();
  });
  while (!begun) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(10ms);  // most likely the other thread waits by then
  inheriting.unlock();
  other.join();
  EXPECT_EQ(counts.of(GuardKind::lock), 0U);
}

TEST(Guard, an_exception_counts_until_its_handler)
{
  const GuardName name("throws");
  const Guard guard(name);
  try {
    throw std::runtime_error("text");
  } catch (const std::exception &) {
  }
  EXPECT_EQ(guard.counts().of(GuardKind::exception), 1U);
}

TEST(Guard, a_device_is_a_system_call_and_a_question_is_none)
{
  const GuardName name("devices");
  const Guard guard(name);
  int waiting = 0;
  ::ioctl(STDIN_FILENO, FIONREAD, &waiting);
  EXPECT_EQ(guard.counts().of(GuardKind::system_call), 0U);
  ::ioctl(-1, TCSBRK, 1);  // would wait for a serial line
  EXPECT_EQ(guard.counts().of(GuardKind::system_call), 1U);
}

TEST(Guard, faults_before_a_scope_are_not_its_faults)
{
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kPages = 3000;  // more than the kernel's ring of faults holds
  auto * const memory = static_cast<volatile char *>(::mmap(
    nullptr, 2 * kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(const_cast<char *>(memory), 2 * kPages * kPage, MADV_NOHUGEPAGE);
  const GuardName name("faults");
  {
    const Guard first(name);  // opens the ring of this thread
  }
  for (std::size_t i = 0; i < kPages; ++i) {
    memory[i * kPage] = 1;
  }
  const Guard guard(name);
  for (std::size_t i = 0; i < 10; ++i) {
    memory[(kPages + i) * kPage] = 1;
  }
  const auto faults = guard.counts().of(GuardKind::page_fault);
  EXPECT_GE(faults, 10U);
  EXPECT_LE(faults, 20U);
}

void * (*volatile g_fill)(void *, int, std::size_t) = std::memset;

[[gnu::noinline]] void fill_page(void * page)
{
  g_fill(page, 1, 4096);
  asm volatile("" ::: "memory");  // so that the call is no jump
}

// Whether the code at this address of the program is in the function, which is short.
bool is_in(std::uint64_t frame, void (*function)(void *))
{
  std::uintptr_t base = 0;
  ::dl_iterate_phdr(
    [](dl_phdr_info * program, std::size_t, void * to) {
      *static_cast<std::uintptr_t *>(to) = program->dlpi_addr;
      return 1;
    },
    &base);
  const std::uint64_t begin = reinterpret_cast<std::uintptr_t>(function) - base;
  const std::uint64_t at = frame & 0xffff'ffff'ffffU;
  return at >= begin && at < begin + 128;
}

#ifdef __x86_64__
TEST(Guard, a_page_fault_of_a_library_has_the_code_that_called_it)
{
  constexpr std::size_t kBytes = 1U << 20U;
  void * const page =
    ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  ::madvise(page, kBytes, MADV_NOHUGEPAGE);
  const GuardName name("fills a page");
  fill_page(page);  // the code is there
  const Guard guard(name);
  fill_page(static_cast<char *>(page) + 4096);
  EXPECT_GE(guard.counts().of(GuardKind::page_fault), 1U);
  const GuardAccount & account = *guard_library()->account();
  if (account.faults_have_places.load() == 0) {
    GTEST_SKIP() << "this kernel does not tell the places of page faults";
  }
  bool found = false;
  for (const GuardSite & site : account.sites) {
    if (
      site.state.load() == GuardSite::ready && site.kind == GuardKind::page_fault &&
      &account.names[site.name] == find(account, "fills a page")) {
      for (std::uint32_t i = 0; i < site.frame_count; ++i) {
        found = found || is_in(site.frames[i], fill_page);
      }
    }
  }
  EXPECT_TRUE(found);
}
#endif

// What this process's account says of threads without all places, as "name: what, limit\n".
std::string limited_threads()
{
  const char * const has[]{"callers", "instructions", "number"};
  const char * const limits[]{"none", "rights", "locked_memory", "open_files"};
  const GuardAccount & account = *guard_library()->account();
  std::string text;
  for (const GuardedFaults & one : account.limited) {
    if (one.state.load() == GuardSite::ready) {
      text += std::string(one.name.data()) + ": " + has[one.has] + ", " + limits[one.limit] + "\n";
    }
  }
  return text;
}

int kernel_setting(const std::string & name)
{
  int value = 0;
  std::ifstream("/proc/sys/kernel/" + name) >> value;
  return value;
}

// The memory of rings that the kernel allows a user without rights on each core, in kB.
int ring_memory()
{
  return kernel_setting("perf_event_mlock_kb");
}

// A thread under the guard, until `end`.
std::thread guarded_thread(
  const char * name, std::atomic<int> & begun, const std::atomic<bool> & end)
{
  return std::thread([&begun, &end, name] {
    ::pthread_setname_np(::pthread_self(), name);
    const GuardName scope("guarded thread");
    {
      const Guard guard(scope);
    }
    ++begun;
    while (!end) {
      std::this_thread::sleep_for(1ms);
    }
  });
}

// The account's text of threads without all places, after `before`, and `count` threads at once.
template <typename Before>
std::string limited_of(int count, Before before)
{
  std::atomic<int> begun{0};
  std::atomic<bool> end{false};
  before();
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.push_back(guarded_thread("planner", begun, end));
  }
  while (begun < count) {
    std::this_thread::sleep_for(1ms);
  }
  end = true;
  for (std::thread & thread : threads) {
    thread.join();
  }
  return limited_threads();
}

perf_event_attr counter_of_faults()
{
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
  attributes.exclude_kernel = 1;
  attributes.disabled = 1;
  return attributes;
}

int open_counter()
{
  perf_event_attr attributes = counter_of_faults();
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

const std::string kRefused = "the kernel gives page faults no places";

// The result of `function` in a child; kRefused: the kernel gives the child no counters.
template <typename Function>
std::optional<std::string> with_counters(Function function)
{
  return in_child([&function] { return open_counter() < 0 ? kRefused : function(); });
}

// As above, in a child without rights, as a user of its own: the kernel counts the memory of rings
// by user, and other tests may have some.
template <typename Function>
std::optional<std::string> with_counters_of_a_user(Function function)
{
  static uid_t tests = 0;
  const uid_t user = 20000 + (8 * static_cast<uid_t>(::getpid()) + ++tests) % 40000;
  return in_unprivileged_child(
    [&function] { return open_counter() < 0 ? kRefused : function(); }, user);
}

TEST(Guard, faults_of_forty_threads_have_places_without_rights)
{
  if (::geteuid() != 0 || ring_memory() < 516) {
    GTEST_SKIP() << "this needs root, and as much memory of rings as the kernel has by default";
  }
  const auto limited = with_counters_of_a_user([] { return limited_of(40, [] {}); });
  ASSERT_TRUE(limited.has_value());
  if (*limited == kRefused) {
    GTEST_SKIP() << kRefused;
  }
  EXPECT_EQ(limited->find("number"), std::string::npos) << *limited;
#ifdef __x86_64__
  if (std::thread::hardware_concurrency() > 1) {
    EXPECT_EQ(*limited, "") << "all have callers, too";
  }
#endif
}

constexpr std::size_t kRingPages = 65;  // one for the head

// The memory that the kernel allows the rings of a user without rights together, in kB.
long all_ring_memory()
{
  return ring_memory() * ::sysconf(_SC_NPROCESSORS_ONLN);
}

// Takes all memory that the kernel allows this user's rings.
void take_ring_memory()
{
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  std::size_t pages = kRingPages - 1;
  while (pages > 0) {
    const std::size_t bytes = (1 + pages) * 4096;
    if (
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, open_counter(), 0) == MAP_FAILED) {
      pages /= 2;
    }
  }
}

TEST(Guard, the_account_names_threads_for_which_the_kernel_has_no_memory)
{
  if (::geteuid() != 0 || all_ring_memory() > 128 * 1024) {
    GTEST_SKIP() << "this needs root, to take all memory of rings of another user, and not much";
  }
  // A ring needs a file. Some more are for those that halve what is left, and for other files.
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_max < static_cast<rlim_t>(all_ring_memory()) / (kRingPages * 4) + 64) {
    GTEST_SKIP() << "`ulimit -Hn` allows too few files for all memory of rings";
  }
  if (kernel_setting("perf_event_paranoid") < 0) {
    GTEST_SKIP() << "with kernel.perf_event_paranoid below 0 the kernel does not limit this memory";
  }
  const auto limited = with_counters_of_a_user([] { return limited_of(2, take_ring_memory); });
  ASSERT_TRUE(limited.has_value());
  if (*limited == kRefused) {
    GTEST_SKIP() << kRefused;
  }
  EXPECT_EQ(*limited, "planner: number, locked_memory\nplanner: number, locked_memory\n");
}

TEST(Guard, the_account_names_threads_for_which_the_process_has_no_file)
{
  const auto limited = with_counters([] {
    return limited_of(1, [] {
      const rlimit none{0, 0};
      ::setrlimit(RLIMIT_NOFILE, &none);
    });
  });
  ASSERT_TRUE(limited.has_value());
  if (*limited == kRefused) {
    GTEST_SKIP() << kRefused;
  }
  EXPECT_EQ(*limited, "planner: number, open_files\n");
}

TEST(Guard, a_child_of_fork_has_no_guard)
{
  const GuardName name("forks");
  const Guard guard(name);
  const pid_t child = ::fork();
  if (child == 0) {
    allocate();
    const Guard inner(name);
    ::_exit(inner.watches() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(guard.counts().of(GuardKind::thread), 1U);
  EXPECT_EQ(guard.counts().of(GuardKind::allocation), 0U);
}

TEST(Guard, names_of_the_parent_keep_their_meaning_in_a_child_with_a_name_of_its_own)
{
  const GuardName name("of the parent");
  const pid_t child = ::fork();
  if (child == 0) {
    const GuardName own("of the child");
    {
      const Guard guard(name);
    }
    const GuardAccount & account = *guard_library()->account();
    const GuardedName * const parents = find(account, "of the parent");
    const GuardedName * const childs = find(account, "of the child");
    const bool right = account.process == ::getpid() && parents != nullptr && childs != nullptr &&
                       parents->runs.load() == 1 && childs->runs.load() == 0;
    ::_exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Guard, helpers_for_tests_say_what_the_code_did)
{
  std::vector<int> values;
  values.reserve(4);
  const auto fits = [&] {
    values.clear();
    values.push_back(1);
  };
  fits();
  EXPECT_TRUE(allocates_nothing(fits));
  EXPECT_TRUE(is_real_time_safe(fits));
  const auto allocated = allocates_nothing(allocate);
  EXPECT_FALSE(allocated);
  EXPECT_STREQ(allocated.message(), "it allocated 1 times and freed 1 times");
  const auto slept = is_real_time_safe([] { std::this_thread::sleep_for(1ms); });
  EXPECT_FALSE(slept);
  EXPECT_NE(std::string(slept.message()).find("sleep x 1"), std::string::npos);
}

}  // namespace
}  // namespace takt_rt::test
