#include "scheduler/run_frame.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace takt_core
{
namespace detail
{
namespace
{

constinit thread_local RunCpu<ThreadClocks>::LastEnd t_last_end;

/// The kernel's counters of one thread.
struct CountedThread
{
  pid_t tid = 0;
  takt_rt::KernelCounters kernel{};
  std::uint32_t wanted_at_end = 0;  // `g_times_wanted` at the end of the thread's last run
  std::int64_t wait_at_end = -1;    // below 0: not known
};

/// Threads that have runs. Never destroyed: threads may run until the process ends.
struct CounterList
{
  std::mutex mutex;
  std::vector<CountedThread *> all;
};

// Counts how often requests for the kernel's counters came after a time without requests. At each
// such time all earlier readings become void.
constinit std::atomic<std::uint32_t> g_times_wanted{0};

CounterList & counter_list()
{
  static auto & list = *[] {
    static auto * const made = new CounterList;
    ::pthread_atfork(
      [] { made->mutex.lock(); }, [] { made->mutex.unlock(); }, [] { made->mutex.unlock(); });
    return made;
  }();
  return list;
}

struct OwnCounters
{
  CountedThread * counters = nullptr;
  bool over = false;  // the thread ends

  ~OwnCounters()
  {
    over = true;
    if (counters != nullptr) {
      CounterList & list = counter_list();
      const std::lock_guard lock(list.mutex);
      std::erase(list.all, counters);
      delete counters;
      counters = nullptr;
    }
  }
};

thread_local OwnCounters t_counters;

/// The calling thread's counters. Null if the thread is ending or memory is exhausted.
CountedThread * own_counters() noexcept
{
  OwnCounters & own = t_counters;
  if (own.counters == nullptr && !own.over) {
    try {
      CounterList & list = counter_list();
      auto made = std::make_unique<CountedThread>();
      made->tid = ::gettid();
      const std::lock_guard lock(list.mutex);
      if (RunFrame::s_wanted.load() >= RunFrame::kKernel) {
        made->kernel.open(made->tid);
      }
      list.all.push_back(made.get());
      own.counters = made.release();
    } catch (const std::exception &) {
      return nullptr;
    }
  }
  return own.counters;
}

}  // namespace

constinit std::atomic<std::uint32_t> RunFrame::s_wanted{0};

void RunFrame::prepare_thread() noexcept
{
  own_counters();
}

constinit thread_local RunFrame * RunFrame::s_current = nullptr;

void RunFrame::begin(std::uint32_t wanted) noexcept
{
  Measured & measured = measured_.emplace();
  run_.costs = &measured.costs;
  if (wanted >= kKernel) {
    if (CountedThread * const own = own_counters()) {
      measured.at_pick = own->kernel.read();
      const std::uint32_t times = g_times_wanted.load(std::memory_order_relaxed);
      std::int64_t since = own->wanted_at_end == times ? own->wait_at_end : -1;
      // The outer run began after the end of the previous run, so the wait counts from the outer
      // run's pick.
      if (outer_ != nullptr && outer_->measured_ && outer_->measured_->at_pick.wait >= 0) {
        since = std::max(since, outer_->measured_->at_pick.wait);
      }
      if (since >= 0 && measured.at_pick.wait >= 0) {
        measured.costs.wait_before = std::max<std::int64_t>(measured.at_pick.wait - since, 0);
      }
    }
  }
  if (wanted % kKernel != 0) {
    cpu_.begin(t_last_end);
  }
}

void RunFrame::end() noexcept
{
  Measured & measured = *measured_;
  if (cpu_.measured()) {
    measured.costs.cpu = cpu_.end(t_last_end);
    measured.costs.take_cpu = std::min(measured.costs.take_cpu, measured.costs.cpu);
  }
  CountedThread * const own = measured.at_pick.wait >= 0 ? t_counters.counters : nullptr;
  const takt_rt::KernelReading now = own != nullptr ? own->kernel.read() : takt_rt::KernelReading{};
  if (now.wait < 0) {
    return;
  }
  measured.costs.wait = std::max<std::int64_t>(now.wait - measured.at_pick.wait, 0);
  measured.costs.voluntary = now.voluntary - measured.at_pick.voluntary;
  measured.costs.involuntary = now.involuntary - measured.at_pick.involuntary;
  own->wait_at_end = now.wait;
  own->wanted_at_end = g_times_wanted.load(std::memory_order_relaxed);
}

}  // namespace detail

using detail::RunFrame;

RunCostsWanted::RunCostsWanted(Costs costs)
: asked_((costs.cpu ? 1U : 0U) | (costs.kernel ? RunFrame::kKernel : 0U))
{
  detail::CounterList & list = detail::counter_list();
  const std::lock_guard lock(list.mutex);
  if (costs.kernel) {
    if (RunFrame::s_wanted.load() < RunFrame::kKernel) {
      detail::g_times_wanted.fetch_add(1, std::memory_order_relaxed);
    }
    for (detail::CountedThread * const one : list.all) {
      one->kernel.open(one->tid);
    }
  }
  RunFrame::s_wanted.fetch_add(asked_);
}

RunCostsWanted::~RunCostsWanted()
{
  RunFrame::s_wanted.fetch_sub(asked_);
}

NotOfTheRun::NotOfTheRun() noexcept
: began_([] {
    const RunFrame * const frame = RunFrame::current();
    return frame != nullptr && frame->measures_cpu() ? detail::ThreadClocks::cpu() : -1;
  }())
{
}

NotOfTheRun::~NotOfTheRun()
{
  if (began_ >= 0) {
    RunFrame::current()->leave_out(detail::ThreadClocks::cpu() - began_);
  }
}

}  // namespace takt_core
