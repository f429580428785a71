#include "takt_trace/stall_witness.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "takt_rt/thread_attributes.hpp"

namespace takt_trace
{

struct StallWitness::Core
{
  Core(Told function, takt_rt::Duration limit) : told(std::move(function)), latest(limit) {}

  static constexpr std::size_t kCapacity = 1 << 16;
  // Wake-ups between readings of the kernel's account: the waits of ordinary wake-ups (some us
  // each) must not look like throttling.
  static constexpr int kReadEvery = 16;

  void woke(int number, takt_rt::Time due, takt_rt::Time now)
  {
    const bool late = now - due > latest;
    if (late || --until_reading < 0) {
      const takt_rt::Duration before = waited;
      waited = ready_time.read();
      until_reading = kReadEvery;
      if (late) {
        saw({number, last, now, blame(now - due, waited - before), due});
      }
    }
    last = now;
  }

  void saw(const Stall & stall)
  {
    if (told) {
      told(stall);
    } else if (stalls.size() < stalls.capacity()) {
      stalls.push_back(stall);
    } else {
      ++unrecorded;
    }
  }

  const Told told;
  const takt_rt::Duration latest;

  takt_rt::ReadyTime ready_time;
  takt_rt::Duration waited{};
  int until_reading = 0;  // the first wake-up reads

  std::vector<Stall> stalls;
  std::uint64_t unrecorded = 0;
  takt_rt::Time last{};
  std::unique_ptr<PeriodicThread> thread;
};

StallWitness::StallWitness(const std::vector<int> & cores, Told told, const Grid & grid)
{
  if (!takt_rt::may_use_realtime(kPriority)) {
    blind_ = "no right to SCHED_FIFO 99 (see `ulimit -r`)";
    return;
  }
  for (const int number : cores) {
    auto core = std::make_unique<Core>(told, grid.late);
    core->stalls.reserve(told ? 0 : Core::kCapacity);
    core->last = takt_rt::now();
    takt_rt::ThreadAttributes attributes;
    attributes.policy = takt_rt::Policy::fifo;
    attributes.priority = kPriority;
    attributes.cores = {number};
    attributes.name = "witness." + std::to_string(number);
    core->thread = std::make_unique<PeriodicThread>(
      attributes, grid.first == takt_rt::Time{} ? core->last + grid.period : grid.first,
      grid.period, [core = core.get(), number](takt_rt::Time due, takt_rt::Time now) {
        core->woke(number, due, now);
      });
    if (!core->thread->attributes().granted_all()) {
      blind_ = core->thread->attributes().faults.front();
      blind_->kind = takt_rt::FaultKind::general;  // a fault of the witness, not of the run
    }
    cores_.push_back(std::move(core));
  }
}

StallWitness::~StallWitness()
{
  end_threads();
}

// Asks all threads first, so that they end in the same period.
void StallWitness::end_threads()
{
  for (const auto & core : cores_) {
    if (core->thread != nullptr) {
      core->thread->ask_to_stop();
    }
  }
  for (const auto & core : cores_) {
    core->thread.reset();
  }
}

std::vector<Stall> StallWitness::stop()
{
  end_threads();
  std::vector<Stall> all;
  for (const auto & core : cores_) {
    all.insert(all.end(), core->stalls.begin(), core->stalls.end());
    core->stalls.clear();
  }
  std::sort(
    all.begin(), all.end(), [](const Stall & a, const Stall & b) { return a.begin < b.begin; });
  return blind_ ? std::vector<Stall>{} : all;
}

std::uint64_t StallWitness::unrecorded() const noexcept
{
  std::uint64_t sum = 0;
  for (const auto & core : cores_) {
    sum += core->unrecorded;
  }
  return sum;
}

}  // namespace takt_trace
