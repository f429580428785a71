// Applied thread attributes as the kernel reports them, and its refusals.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <latch>
#include <thread>

#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

#define SKIP_WITHOUT_REALTIME_RIGHTS()                                                         \
  if (!may_use_realtime(99)) {                                                                 \
    GTEST_SKIP() << "needs the right to set real-time priorities (CAP_SYS_NICE or rtprio 99)"; \
  }

/// Runs `function` on a thread of its own, so that the test's main thread keeps its attributes.
template <typename Function>
void on_new_thread(Function function)
{
  std::thread(function).join();
}

int kernel_priority()
{
  sched_param param{};
  ::sched_getparam(0, &param);
  return param.sched_priority;
}

/// The nice value of the calling thread (on Linux getpriority counts threads, not processes).
int kernel_nice()
{
  return ::getpriority(PRIO_PROCESS, 0);
}

ThreadAttributes deadline_attributes(Duration runtime, Duration deadline, Duration period)
{
  ThreadAttributes attributes;
  attributes.policy = Policy::deadline;
  attributes.runtime = runtime;
  attributes.deadline = deadline;
  attributes.period = period;
  return attributes;
}

std::string joined(const Faults & faults)
{
  std::string text;
  for (const std::string & fault : sentences(faults)) {
    text += fault + "\n";
  }
  return text;
}

TEST(Apply, SetsFifoAndRoundRobin)
{
  SKIP_WITHOUT_REALTIME_RIGHTS();
  on_new_thread([] {
    const AttributeReport fifo = apply({.policy = Policy::fifo, .priority = 17});
    EXPECT_TRUE(fifo.granted_all()) << joined(fifo.faults);
    EXPECT_EQ(fifo.granted.policy, Policy::fifo);
    EXPECT_EQ(fifo.granted.priority, 17);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_FIFO);
    EXPECT_EQ(kernel_priority(), 17);

    EXPECT_TRUE(apply({.policy = Policy::rr, .priority = 3}).granted_all());
    EXPECT_EQ(::sched_getscheduler(0), SCHED_RR);
    EXPECT_EQ(kernel_priority(), 3);
  });
}

TEST(Apply, SetsDeadlineWhoseThreadMayStillCreateThreads)
{
  SKIP_WITHOUT_REALTIME_RIGHTS();
  on_new_thread([] {
    const AttributeReport report = apply(deadline_attributes(1ms, 50ms, 100ms));
    EXPECT_TRUE(report.granted_all()) << joined(report.faults);
    const ThreadAttributes granted = read_attributes();
    EXPECT_EQ(granted.policy, Policy::deadline);
    EXPECT_EQ(granted.runtime, 1ms);
    EXPECT_EQ(granted.deadline, 50ms);
    EXPECT_EQ(granted.period, 100ms);
    on_new_thread([] { EXPECT_EQ(read_attributes().policy, Policy::other); });
    // Back, and onto a core: a SCHED_DEADLINE thread itself may not change its cores.
    const int core = usable_cores().back();
    const AttributeReport back = apply({.policy = Policy::fifo, .priority = 2, .cores = {core}});
    EXPECT_TRUE(back.granted_all()) << joined(back.faults);
    on_new_thread([] { EXPECT_EQ(read_attributes().policy, Policy::fifo) << "not inherited"; });
  });
}

TEST(Apply, SetsNiceAndBatchAndIdle)
{
  on_new_thread([] {
    EXPECT_TRUE(apply({.nice = 7}).granted_all());
    EXPECT_EQ(kernel_nice(), 7);
    EXPECT_TRUE(apply({.policy = Policy::batch, .nice = 8}).granted_all());
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
    EXPECT_EQ(kernel_nice(), 8);
    EXPECT_TRUE(apply({.policy = Policy::idle}).granted_all());
    EXPECT_EQ(::sched_getscheduler(0), SCHED_IDLE);
  });
}

TEST(Apply, LeavesAloneWhatIsNotAskedFor)
{
  on_new_thread([] {
    ASSERT_TRUE(apply({.policy = Policy::batch, .nice = 11}).granted_all());
    EXPECT_TRUE(apply({.cores = {usable_cores().front()}, .name = "same"}).granted_all());
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH);
    EXPECT_EQ(kernel_nice(), 11);
    const AttributeReport report = apply({.policy = Policy::other});
    EXPECT_TRUE(report.granted_all()) << joined(report.faults);
    EXPECT_EQ(report.granted.policy, Policy::other);
    EXPECT_EQ(report.granted.nice, 11) << "only the policy was asked for";
    ASSERT_TRUE(apply({.policy = Policy::batch}).granted_all());
    EXPECT_TRUE(apply({.nice = 12}).granted_all());
    EXPECT_EQ(::sched_getscheduler(0), SCHED_BATCH) << "only the nice level was asked for";
    EXPECT_EQ(kernel_nice(), 12);
    on_new_thread([] { EXPECT_EQ(apply({.name = "child"}).granted.nice, 12) << "inherited"; });
  });
}

TEST(Apply, LeavesRealtimeThreadsThatOnlyGetCoresAlone)
{
  SKIP_WITHOUT_REALTIME_RIGHTS();
  on_new_thread([] {
    ASSERT_TRUE(apply({.policy = Policy::rr, .priority = 4}).granted_all());
    EXPECT_TRUE(apply({.cores = {usable_cores().front()}}).granted_all());
    EXPECT_EQ(read_attributes().policy, Policy::rr);
    EXPECT_EQ(read_attributes().priority, 4);
  });
}

TEST(Apply, SetsCoresAndName)
{
  on_new_thread([] {
    const int core = usable_cores().back();
    const AttributeReport report =
      apply({.cores = {core, core}, .name = "fifteen letters", .stack_size = 123});
    EXPECT_TRUE(report.granted_all()) << joined(report.faults);
    EXPECT_EQ(report.granted.cores, std::vector<int>{core});
    EXPECT_EQ(report.granted.name, "fifteen letters");
    EXPECT_EQ(report.granted.stack_size, 123U);
    EXPECT_EQ(::sched_getcpu(), core);
  });
}

TEST(Apply, ReportsANameThatTheKernelCut)
{
  on_new_thread([] {
    const AttributeReport report = apply({.name = "a name of more than fifteen"});
    EXPECT_EQ(report.granted.name, "a name of more ");
    ASSERT_EQ(report.faults.size(), 1U);
    EXPECT_EQ(
      to_string(report.faults[0]),
      "name 'a name of more than fifteen' was asked for but the kernel granted "
      "'a name of more '; Linux keeps 15 bytes of a thread's name");
    EXPECT_TRUE(apply(with_kept_name({.name = "a name of more than fifteen"})).granted_all());
  });
}

TEST(Apply, ReachesAnotherThreadOfTheProcess)
{
  std::atomic<pid_t> tid{0};
  std::latch known(1);
  std::latch done(1);
  std::thread other([&] {
    tid = static_cast<pid_t>(::syscall(SYS_gettid));
    known.count_down();
    done.wait();
    EXPECT_EQ(kernel_nice(), 9);
    EXPECT_EQ(read_attributes().name, "renamed");
  });
  known.wait();
  EXPECT_TRUE(apply({.nice = 9, .name = "renamed"}, tid).granted_all());
  EXPECT_EQ(read_attributes(tid).nice, 9);
  EXPECT_EQ(read_attributes(tid).name, "renamed");
  done.count_down();
  other.join();
}

TEST(Apply, ReportsCoresTheKernelLeftAway)
{
  on_new_thread([] {
    const int core = usable_cores().front();
    const AttributeReport report = apply({.cores = {core, 4000}});
    ASSERT_EQ(report.faults.size(), 1U);
    EXPECT_NE(to_string(report.faults[0]).find("offline or outside"), std::string::npos)
      << report.faults[0];
    EXPECT_EQ(report.granted.cores, std::vector<int>{core});
  });
}

TEST(Apply, TriesEverythingAfterARefusal)
{
  on_new_thread([] {
    const AttributeReport report =
      apply({.policy = Policy::fifo, .priority = 100, .cores = {4000}, .name = "still_named"});
    ASSERT_EQ(report.faults.size(), 2U) << joined(report.faults);
    EXPECT_NE(to_string(report.faults[0]).find("core 4000 refused"), std::string::npos)
      << report.faults[0];
    EXPECT_NE(to_string(report.faults[1]).find("must be 1 to 99"), std::string::npos)
      << report.faults[1];
    EXPECT_EQ(report.granted.name, "still_named");
    EXPECT_EQ(report.granted.policy, Policy::other);
  });
}

TEST(Apply, SaysThatAThreadIsGone)
{
  pid_t gone = 0;
  on_new_thread([&] { gone = static_cast<pid_t>(::syscall(SYS_gettid)); });
  // A joinable thread may still exist for a moment.
  while (::syscall(SYS_tgkill, ::getpid(), gone, 0) == 0) {
    std::this_thread::yield();
  }
  const AttributeReport report =
    apply({.policy = Policy::other, .cores = usable_cores(), .name = "ghost"}, gone);
  EXPECT_EQ(report.faults.size(), 3U);
  EXPECT_EQ(apply({.nice = 3}, gone).faults.size(), 1U);
  for (const std::string & fault : sentences(report.faults)) {
    EXPECT_NE(fault.find("no such thread"), std::string::npos) << fault;
  }
}

// The thread may end between the request and the reading back: that is not a refusal.
TEST(Apply, OfAThreadThatGoesMeanwhileSaysNothingElse)
{
  for (int i = 0; i < 5'000; ++i) {
    pid_t going = 0;
    on_new_thread([&] { going = static_cast<pid_t>(::syscall(SYS_gettid)); });
    const AttributeReport report =
      apply({.policy = Policy::batch, .nice = 1, .cores = usable_cores()}, going);
    for (const std::string & fault : sentences(report.faults)) {
      ASSERT_NE(fault.find("no such thread"), std::string::npos) << fault << ", round " << i;
    }
  }
}

TEST(Apply, SaysWhichShareDeadlineThreadsHaveUsedUp)
{
  SKIP_WITHOUT_REALTIME_RIGHTS();
  std::ifstream sysctl("/proc/sys/kernel/sched_rt_runtime_us");
  long throttled = -1;
  if (!(sysctl >> throttled) || throttled < 0) {
    GTEST_SKIP() << "kernel.sched_rt_runtime_us is -1: the kernel admits any bandwidth";
  }
  // Each requests a whole core: one more thread than cores cannot fit.
  const std::size_t count = usable_cores().size() + 1;
  std::latch all_tried(static_cast<std::ptrdiff_t>(count));
  std::vector<AttributeReport> reports(count);
  std::vector<std::thread> threads;
  for (AttributeReport & report : reports) {
    threads.emplace_back([&all_tried, &report] {
      report = apply(deadline_attributes(100ms, 100ms, 100ms));
      all_tried.arrive_and_wait();
    });
  }
  std::string refusals;
  for (std::size_t i = 0; i < count; ++i) {
    threads[i].join();
    refusals += joined(reports[i].faults);
  }
  EXPECT_NE(refusals.find("bandwidth does not fit"), std::string::npos) << refusals;
  EXPECT_NE(refusals.find("sched_rt_runtime_us = " + std::to_string(throttled)), std::string::npos);
}

TEST(SetOwnPriority, KeepsNiceThereAndBack)
{
  SKIP_WITHOUT_REALTIME_RIGHTS();
  on_new_thread([] {
    ASSERT_TRUE(apply({.nice = 6}).granted_all());
    EXPECT_EQ(set_own_priority(Policy::fifo, 40), 0);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_FIFO);
    EXPECT_EQ(kernel_priority(), 40);
    EXPECT_EQ(set_own_priority(Policy::rr, 41), 0);
    EXPECT_EQ(kernel_priority(), 41);
    EXPECT_EQ(set_own_priority(Policy::other, 0), 0);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
    EXPECT_EQ(kernel_nice(), 6);
  });
}

TEST(SetOwnPriority, RefusesWhatThePolicyDoesNotHave)
{
  EXPECT_EQ(set_own_priority(Policy::other, 5), EINVAL);
  EXPECT_EQ(set_own_priority(Policy::fifo, 0), EINVAL);
  EXPECT_EQ(set_own_priority(Policy::fifo, 100), EINVAL);
  EXPECT_EQ(set_own_priority(Policy::deadline, 0), EINVAL);
}

}  // namespace
}  // namespace takt_rt
