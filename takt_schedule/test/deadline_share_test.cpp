// The share left to threads of policy deadline: from the files of several kernels, and as granted
// by this one.
#include "takt_schedule/deadline_share.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "schedule_text.hpp"
#include "takt_rt/thread_attributes.hpp"

namespace takt_schedule
{
namespace
{

namespace fs = std::filesystem;
using takt_rt::Duration;

class DeadlineShare : public testing::Test
{
protected:
  DeadlineShare()
  {
    std::string pattern = (fs::temp_directory_path() / "takt_test.XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    files_ = {root_.string(), (root_ / "fair_server").string(), (root_ / "osrelease").string()};
    write("sched_rt_period_us", "1000000");
    write("sched_rt_runtime_us", "950000");
    write("osrelease", "6.18.4-generic");
  }
  ~DeadlineShare() override { fs::remove_all(root_); }

  void write(const std::string & name, const std::string & text) const
  {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << '\n';
  }

  fs::path root_;
  KernelFiles files_;
};

TEST_F(DeadlineShare, IsWhatRealTimeThreadsMayTakeLessTheFairServer)
{
  EXPECT_DOUBLE_EQ(deadline_share(files_).share, 0.90);
  write("osrelease", "6.11.0");
  EXPECT_DOUBLE_EQ(deadline_share(files_).share, 0.95);
  EXPECT_FALSE(deadline_share(files_).assumed) << "such a kernel has no fair server";
  write("osrelease", "6.12.0-rc1");
  EXPECT_DOUBLE_EQ(deadline_share(files_).share, 0.90);
  EXPECT_TRUE(deadline_share(files_).assumed);
}

TEST_F(DeadlineShare, BelievesTheFairServersOwnFilesMore)
{
  write("fair_server/cpu0/runtime", "50000000");
  write("fair_server/cpu0/period", "1000000000");
  write("fair_server/cpu1/runtime", "150000000");
  write("fair_server/cpu1/period", "1000000000");
  EXPECT_DOUBLE_EQ(deadline_share(files_).share, 0.80);
  EXPECT_FALSE(deadline_share(files_).assumed);
  for (const char * core : {"cpu0", "cpu1"}) {
    write("fair_server/" + std::string(core) + "/runtime", "0");  // switched off
  }
  EXPECT_DOUBLE_EQ(deadline_share(files_).share, 0.95);
}

TEST_F(DeadlineShare, WithoutThrottlingIsNotLimited)
{
  write("sched_rt_runtime_us", "-1");
  EXPECT_EQ(deadline_share(files_).share, 0.0);
  EXPECT_FALSE(deadline_share(files_).assumed);
}

TEST_F(DeadlineShare, IsAboveZeroWhereNothingIsLeft)
{
  write("sched_rt_runtime_us", "0");
  EXPECT_GT(deadline_share(files_).share, 0.0);  // 0 would mean no limit
  EXPECT_LT(deadline_share(files_).share, 1e-6);
}

/// Number of `count` simultaneous threads of policy deadline that the kernel admits.
int admitted(int count, Duration runtime, Duration period)
{
  std::atomic<int> granted{0};
  std::barrier all(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      takt_rt::ThreadAttributes attributes;
      attributes.policy = takt_rt::Policy::deadline;
      attributes.runtime = runtime;
      attributes.deadline = attributes.period = period;
      granted += takt_rt::apply(attributes).granted_all() ? 1 : 0;
      all.arrive_and_wait();
    });
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  return granted;
}

/// Whether the kernel ever admits a thread for each core: asks until `patience` is over, and at
/// least 20 times. The kernel may refuse a fitting set, because it keeps the bandwidth of an ended
/// thread for a while (about nine times its run); it never admits more.
bool ever_admits(int cores, Duration runtime, Duration period, Duration patience)
{
  const takt_rt::Time until = takt_rt::now() + patience;
  for (int round = 0; round < 20 || takt_rt::now() < until; ++round) {
    if (admitted(cores, runtime, period) == cores) {
      return true;
    }
    std::this_thread::sleep_for(period);
  }
  return false;
}

/// Whether another thread of the machine has the policy, which reduces the remaining share.
bool others_have_the_policy()
{
  std::error_code error;
  for (const auto & process : fs::directory_iterator("/proc", error)) {
    std::error_code gone;
    for (fs::directory_iterator task(process.path() / "task", gone), end; !gone && task != end;
         task.increment(gone)) {
      const auto tid = static_cast<pid_t>(std::atoi(task->path().filename().c_str()));
      if (tid > 0 && ::sched_getscheduler(tid) == SCHED_DEADLINE) {
        return true;
      }
    }
  }
  return false;
}

TEST(DeadlineAdmission, IsJudgedAsTheKernelDoes)
{
  using namespace std::chrono_literals;
  const double share = deadline_share().share;
  const auto cores = static_cast<int>(takt_rt::usable_cores().size());
  if (
    share <= 0.0 || cores != ::sysconf(_SC_NPROCESSORS_ONLN) || others_have_the_policy() ||
    admitted(1, 1ms, 10ms) != 1) {
    GTEST_SKIP() << "no rights to the policy, or not the whole machine";
  }
  for (const double part : {share - 0.01, share + 0.01, share + 0.04}) {
    const auto runtime = Duration(static_cast<std::int64_t>(part * 10e6));
    const std::string text = test::with_main(
      "threads: {a: {policy: deadline, runtime: " + std::to_string(runtime.count()) +
      "ns, period: 10ms, count: " + std::to_string(cores) + "}}\ndefault: all");
    const bool good = parse_schedule(text, "s.yaml").ok();
    EXPECT_EQ(good, part < share) << text;
    const Duration patience = good ? Duration(1min) : Duration::zero();
    EXPECT_EQ(ever_admits(cores, runtime, 10ms, patience), good) << part << " of each core";
  }
}

}  // namespace
}  // namespace takt_schedule
