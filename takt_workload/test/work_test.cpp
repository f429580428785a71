// Work is CPU time of the calling thread. Other threads on the core do not change it.
#include "run/work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "takt_rt/thread_cpu_time.hpp"

namespace takt_workload
{

using std::chrono::microseconds;
using std::chrono::milliseconds;
using takt_rt::Duration;
using takt_rt::thread_cpu_time;

TEST(Work, UsesWhatIsAskedUnderCompetingLoad)
{
  const Work work = Work::calibrate();
  std::atomic<bool> stop{false};
  std::vector<std::thread> rivals;
  for (unsigned i = 0; i < 2 * std::max(1u, std::thread::hardware_concurrency()); ++i) {
    rivals.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
      }
    });
  }
  std::vector<double> ratios;
  for (int i = 0; i < 50; ++i) {
    const Duration before = thread_cpu_time();
    const Work::Done done = work.use(milliseconds(2));
    const Duration outside = thread_cpu_time() - before;
    EXPECT_GE(done.cpu, milliseconds(2));
    EXPECT_GE(outside, done.cpu);
    ratios.push_back(static_cast<double>(outside.count()) / 2e6);
  }
  stop = true;
  for (std::thread & rival : rivals) {
    rival.join();
  }
  // The test uses the median, because the hypervisor may charge stolen time to the thread.
  std::nth_element(ratios.begin(), ratios.begin() + 25, ratios.end());
  EXPECT_GE(ratios[25], 1.0);
  EXPECT_LE(ratios[25], 1.05);
}

TEST(Work, OverrunsByNoMoreThanAChunkUsually)
{
  const Work work = Work::calibrate();
  std::vector<Duration> beyond;
  for (int i = 0; i < 101; ++i) {
    beyond.push_back(work.use(microseconds(500)).cpu - microseconds(500));
  }
  std::nth_element(beyond.begin(), beyond.begin() + 50, beyond.end());
  EXPECT_LE(beyond[50], 2 * Work::kChunk);
}

TEST(Work, NoneIsNone)
{
  const Work work(100.0);
  EXPECT_EQ(work.use(Duration::zero()).cpu, Duration::zero());
}

TEST(Work, ABadCalibrationCostsTimeButNotTheTarget)
{
  for (const double speed : {1e-3, 1e4}) {
    const Work::Done done = Work(speed).use(microseconds(300));
    EXPECT_GE(done.cpu, microseconds(300));
    EXPECT_LE(done.cpu, milliseconds(500));
  }
}

}  // namespace takt_workload
