#include "takt_rt/kernel_accounts.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <latch>
#include <optional>
#include <thread>

namespace takt_rt
{
namespace
{

pid_t own_tid()
{
  return static_cast<pid_t>(::syscall(SYS_gettid));
}

std::optional<ThreadAccount> account_of(pid_t tid, pid_t pid = 0)
{
  for (const ThreadAccount & account : read_accounts(pid)) {
    if (account.tid == tid) {
      return account;
    }
  }
  return std::nullopt;
}

/// A thread that runs `work` and then waits for its end.
class Worker
{
public:
  template <typename Work>
  explicit Worker(Work work)
  : thread_([this, work] {
      tid_ = own_tid();
      work();
      worked_.count_down();
      end_.wait();
    })
  {
    worked_.wait();
  }
  ~Worker()
  {
    end_.count_down();
    thread_.join();
  }
  Worker(const Worker &) = delete;
  Worker & operator=(const Worker &) = delete;

  pid_t tid() const { return tid_; }

private:
  std::atomic<pid_t> tid_{0};
  std::latch worked_{1};
  std::latch end_{1};
  std::thread thread_;
};

Duration own_cpu_time()
{
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Duration{time.tv_sec * 1'000'000'000 + time.tv_nsec};
}

void burn(Duration cpu_time)
{
  const Duration end = own_cpu_time() + cpu_time;
  while (own_cpu_time() < end) {
  }
}

/// Sleeps until the kernel has counted so many switches: a sleep may be over before it has begun.
void sleep_often(long times)
{
  const timespec moment{0, 1000};
  for (rusage usage{}; usage.ru_nvcsw < times; ::getrusage(RUSAGE_THREAD, &usage)) {
    ::nanosleep(&moment, nullptr);
  }
}

void fault_once()
{
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void * page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  *static_cast<volatile char *>(page) = 1;
  ::munmap(page, bytes);
}

TEST(ReadAccounts, TellsEachThreadsNamePolicyAndNice)
{
  const Worker worker([] { (void)apply({.nice = 5, .name = "odd) name ("}); });
  const auto account = account_of(worker.tid());
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(account->name, "odd) name (");
  EXPECT_EQ(account->policy, Policy::other);
  EXPECT_EQ(account->nice, 5);
  EXPECT_EQ(account->rt_priority, 0);
  EXPECT_GT(account->started, 0U);
}

TEST(ReadAccounts, TellsRealTimePriority)
{
  if (!may_use_realtime(33)) {
    GTEST_SKIP() << "needs the right to set real-time priorities (CAP_SYS_NICE or rtprio 33)";
  }
  const Worker worker([] { (void)apply({.policy = Policy::rr, .priority = 33}); });
  const auto account = account_of(worker.tid());
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(account->policy, Policy::rr);
  EXPECT_EQ(account->rt_priority, 33);
}

TEST(ReadAccounts, TellsTheLastCore)
{
  const int core = usable_cores().back();
  const Worker worker([core] { (void)apply({.cores = {core}}); });
  const auto account = account_of(worker.tid());
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(account->last_core, core);
}

TEST(ReadAccounts, CountsCpuTimeSwitchesAndFaults)
{
  static constexpr Duration kWork = std::chrono::milliseconds(30);
  Duration used{};
  std::optional<ThreadAccount> account;
  {
    const Worker worker([&used] {
      burn(kWork);
      sleep_often(50);
      fault_once();
      used = own_cpu_time();
    });
    account = account_of(worker.tid());
  }
  ASSERT_TRUE(account.has_value());
  // In whole ticks at worst; each of the two parts may lack one.
  const Duration tick{1'000'000'000 / ::sysconf(_SC_CLK_TCK)};
  EXPECT_GE(account->counters.cpu_time, used - 2 * tick);
  EXPECT_GE(account->counters.voluntary_switches, 50U);
  EXPECT_GT(account->counters.minor_faults, 0U);
}

TEST(CoreTimesOfAThread, AreThoseOfItsAccount)
{
  const Worker worker([] { burn(std::chrono::milliseconds(5)); });
  const auto before = account_of(worker.tid());
  const CoreTimes times = core_times(worker.tid());
  const auto after = account_of(worker.tid());
  ASSERT_TRUE(before.has_value() && after.has_value());
  if (times.on_cpu == Duration::zero()) {
    GTEST_SKIP() << "this kernel keeps no schedstat";
  }
  EXPECT_GE(times.on_cpu, before->counters.cpu_time);
  EXPECT_LE(times.on_cpu, after->counters.cpu_time);
  EXPECT_GE(times.queue_wait, before->counters.queue_wait);
  EXPECT_LE(times.queue_wait, after->counters.queue_wait);
}

TEST(CoreTimesOfAThread, AreZeroIfThereIsNone)
{
  const CoreTimes none = core_times(-1);
  EXPECT_EQ(none.on_cpu, Duration::zero());
  EXPECT_EQ(none.queue_wait, Duration::zero());
}

TEST(ReadAccounts, ReadsAnotherProcess)
{
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    ::close(ends[1]);
    (void)!::read(ends[0], &byte, 1);  // until the parent closes its end
    ::_exit(0);
  }
  ::close(ends[0]);
  const std::vector<ThreadAccount> accounts = read_accounts(child);
  ::close(ends[1]);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(accounts.empty());
  EXPECT_EQ(accounts.front().tid, child);
  EXPECT_TRUE(read_accounts(child).empty()) << "it has ended";
}

TEST(ReadAccounts, AreSortedAndSurviveThreadsThatComeAndGo)
{
  std::atomic<bool> stop{false};
  std::thread churn([&] {
    while (!stop) {
      std::thread([] {}).join();
    }
  });
  for (int i = 0; i < 200; ++i) {
    const std::vector<ThreadAccount> accounts = read_accounts();
    EXPECT_GE(accounts.size(), 2U);
    for (std::size_t k = 1; k < accounts.size(); ++k) {
      EXPECT_LT(accounts[k - 1].tid, accounts[k].tid);
    }
  }
  stop = true;
  churn.join();
}

TEST(ChangesBetween, SeesARealThreadComeWorkAndGo)
{
  const auto before = read_accounts();
  std::vector<ThreadAccount> during;
  pid_t tid = 0;
  {
    const Worker worker([] { sleep_often(10); });
    tid = worker.tid();
    during = read_accounts();
  }
  const auto find = [tid](const std::vector<AccountChange> & changes) {
    std::optional<AccountChange> found;
    for (const AccountChange & change : changes) {
      if (change.account.tid == tid) {
        found = change;
      }
    }
    return found;
  };
  const auto came = find(changes_between(before, during));
  ASSERT_TRUE(came.has_value());
  EXPECT_EQ(came->presence, Presence::came);
  EXPECT_GE(came->account.counters.voluntary_switches, 10U);
  const auto went = find(changes_between(during, before));
  ASSERT_TRUE(went.has_value());
  EXPECT_EQ(went->presence, Presence::went);
}

}  // namespace
}  // namespace takt_rt
