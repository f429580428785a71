#include "latency/cyclic_thread.hpp"

#include <time.h>

#include "latency/cyclic_loop.hpp"
#include "takt_rt/ready_time.hpp"

namespace takt_bench::latency
{

namespace
{

// Of the stack that cycles use: system calls and their wrappers.
constexpr std::size_t kStackInUse = 64 * 1024;

/// CLOCK_MONOTONIC, and sleep until an absolute time on it. Real-time safe.
struct KernelClock
{
  static takt_rt::Time now() noexcept { return takt_rt::now(); }

  static void sleep_until(takt_rt::Time time) noexcept
  {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t ns = takt_rt::to_ns(time);
    const timespec until{ns / kSecond, ns % kSecond};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
};

}  // namespace

CyclicThread::CyclicThread(const takt_rt::ThreadAttributes & asked, Run & run)
: thread_(asked.stack_size, [this, asked, &run] { work(asked, run); })
{
}

void CyclicThread::work(const takt_rt::ThreadAttributes & asked, Run & run)
{
  report_ = takt_rt::apply(asked);
  takt_rt::ReadyTime account;
  LateWakeUp late_wake_up(account);
  statistics_.accounted = late_wake_up.accounted();
  // Without room for it the first cycles have page faults, which are counted.
  static_cast<void>(takt_rt::prefault_stack(kStackInUse).ok());
  takt_rt::thread_page_faults();  // the first call binds the symbol
  KernelClock clock;
  run.gate.pass();
  const takt_rt::PageFaults before = takt_rt::thread_page_faults();
  run_cycles(
    clock, late_wake_up, ReleaseGrid(run.first, run.interval), run.end, run.stop, statistics_);
  const takt_rt::PageFaults after = takt_rt::thread_page_faults();
  page_faults_ = {after.minor - before.minor, after.major - before.major};
  at_end_ = takt_rt::read_attributes();
  run.ended.fetch_add(1, std::memory_order_release);
}

}  // namespace takt_bench::latency
