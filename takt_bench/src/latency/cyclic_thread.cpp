#include "latency/cyclic_thread.hpp"

#include "latency/recorded_cycles.hpp"
#include "takt_rt/monotonic_clock.hpp"
#include "takt_rt/ready_time.hpp"

namespace takt_bench::latency
{

namespace
{

// The part of the stack that cycles use: system calls and their wrappers.
constexpr std::size_t kStackInUse = 64 * 1024;

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
  // If the stack is too small for this, the first cycles have page faults, which are counted.
  static_cast<void>(takt_rt::prefault_stack(kStackInUse).ok());
  takt_rt::thread_page_faults();  // the first call binds the symbol
  takt_rt::MonotonicClock clock;
  RecordedCycles cycles(late_wake_up, statistics_);
  run.gate.pass();
  const takt_rt::PageFaults before = takt_rt::thread_page_faults();
  takt_rt::run_cycles(
    clock, takt_rt::ReleaseGrid(run.first, run.interval), run.end, run.stop, cycles);
  const takt_rt::PageFaults after = takt_rt::thread_page_faults();
  page_faults_ = {after.minor - before.minor, after.major - before.major};
  at_end_ = takt_rt::read_attributes();
  run.ended.fetch_add(1, std::memory_order_release);
}

}  // namespace takt_bench::latency
