#include "control_loop/loop.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <utility>

#include "takt_host/cyclic_program.hpp"
#include "takt_rt/ready_time.hpp"
#include "takt_rt/thread_cpu_time.hpp"

namespace takt_bench::control_loop
{

using takt_rt::Duration;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::Time;

namespace
{

constexpr std::size_t kMostLate = 65'536;
// The daemon grants the attributes within this time.
constexpr Duration kStart = std::chrono::seconds(1);

void work(Duration time)
{
  const Duration end = takt_rt::thread_cpu_time() + time;
  while (takt_rt::thread_cpu_time() < end) {
  }
}

/// One thread. Real-time safe after the first call.
class ThreadAccount
{
public:
  Thread since_last() noexcept
  {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    const Duration waited = ready_.read();
    const auto switches = static_cast<std::uint64_t>(usage.ru_nvcsw);
    const Thread since{waited - waited_, switches - switches_};
    waited_ = waited;
    switches_ = switches;
    return since;
  }

private:
  takt_rt::ReadyTime ready_;
  Duration waited_{};
  std::uint64_t switches_ = 0;
};

takt_rt::PageFaults since(const takt_rt::PageFaults & before) noexcept
{
  const takt_rt::PageFaults now = takt_rt::thread_page_faults();
  return {now.minor - before.minor, now.major - before.major};
}

sigset_t blocked_ends()
{
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // also in the threads that this one starts
  return ends;
}

}  // namespace

Account::Account(Time from, Time to) : from_(from), to_(to)
{
  late.resize(kMostLate);  // touches the memory
  late.clear();
}

void Account::add(const Late & one) noexcept
{
  misses += one.misses;
  if (late.size() < late.capacity()) {
    late.push_back(one);
  } else {
    unrecorded += one.misses;
  }
}

bool Account::cycle(
  const takt_core::Run & run, Time began, Time ended, const Thread & thread) noexcept
{
  if (run.release < from_) {
    return true;
  }
  if (run.release >= to_) {
    return false;
  }
  if (first_release == Time{}) {
    first_release = run.release;
  } else if (const auto missing = (run.release - last_release) / kPeriod - 1; missing > 0) {
    skipped += static_cast<std::uint64_t>(missing);
    add({last_release, began, began, static_cast<std::uint64_t>(missing), thread});
  }
  last_release = run.release;
  wake_ups.record(began - run.release);
  responses.record(ended - run.release);
  if (ended > run.release + kPeriod) {
    add({run.release, began, ended, 1, thread});
  }
  return true;
}

Result<std::unique_ptr<Found>> run_loop(const LoopSetting & setting)
{
  sigset_t ends{};
  if (setting.stay) {
    ends = blocked_ends();
  }
  const Time from = takt_rt::now() + kStart + setting.warm_up;
  auto found = std::make_unique<Found>(from, from + setting.duration);
  takt_host::CyclicProgram program("controller");
  takt_rt::CyclicOptions options;
  options.period = kPeriod;
  options.offset = Duration::zero();
  options.epoch =
    takt_rt::CyclicEpoch::host;  // the phase that the witness has, without a schedule, too
  options.attributes.policy = takt_rt::Policy::fifo;
  options.attributes.priority = 80;
  takt_rt::PageFaults before;
  bool over = false;
  std::atomic<bool> may_end{!setting.stay};
  ThreadAccount thread;
  program.add("control", options, [&](const takt_core::Run & run) {
    const Time began = takt_rt::now();
    work(setting.work);
    const bool first = found->account.first_release == Time{};
    const Time ended = takt_rt::now();
    if (!found->account.cycle(run, began, ended, thread.since_last())) {
      if (!over) {
        over = true;
        found->page_faults = since(before);
        found->attributes = takt_rt::read_attributes();
      }
      if (may_end.load(std::memory_order_relaxed)) {
        program.stop();
      }
    } else if (first) {
      before = takt_rt::thread_page_faults();
    }
  });
  auto started = program.start();
  if (!started.ok()) {
    return started.faults();
  }
  found->notes = std::move(started->notes);
  if (setting.stay) {
    int ignored = 0;
    sigwait(&ends, &ignored);
    may_end = true;
  }
  if (program.wait() != nullptr) {
    return Faults{"the control loop threw an exception"};
  }
  return found;
}

}  // namespace takt_bench::control_loop
