#include "latency/measurement.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "latency/load.hpp"

namespace takt_bench::latency
{

namespace
{

// From the opening of the gate to the first release. Each thread must sleep by then, also on busy
// cores. Otherwise its first latency would be that of its start.
constexpr takt_rt::Duration kLeadTime = std::chrono::milliseconds(100);

Progress progress_of(const Measurement & all)
{
  Progress progress;
  progress.elapsed =
    std::clamp(takt_rt::now() - all.run->first, takt_rt::Duration{}, all.setting.duration);
  progress.cycles = std::numeric_limits<std::uint64_t>::max();
  for (const auto & thread : all.threads) {
    const CycleStatistics & of = thread->statistics();
    progress.cycles =
      std::min(progress.cycles, of.ordinary.latencies.count() + of.held_up.latencies.count());
    progress.worst_ns = std::max(progress.worst_ns, of.ordinary.latencies.max());
    progress.overruns += of.ordinary.overruns.value();
  }
  return progress;
}

/// Opens the gate at the end of the scope, also after an exception: the destructors of the threads
/// wait for them.
class GateKeeper
{
public:
  explicit GateKeeper(Run & run) : run_(run) {}
  ~GateKeeper()
  {
    run_.stop = true;
    run_.gate.open();
  }
  GateKeeper(const GateKeeper &) = delete;
  GateKeeper & operator=(const GateKeeper &) = delete;

private:
  Run & run_;
};

void start_threads(Measurement & all)
{
  for (std::size_t number = 0; number < all.setting.cores.size(); ++number) {
    all.threads.push_back(
      std::make_unique<CyclicThread>(attributes_of(all.setting, number), *all.run));
  }
  all.run->gate.wait_for(static_cast<std::uint32_t>(all.threads.size()));
}

void run_to_the_end(Measurement & all, const Watch & watch)
{
  Run & run = *all.run;
  run.first = takt_rt::now() + kLeadTime;
  run.end = takt_rt::add_saturated(run.first, all.setting.duration);
  run.gate.open();
  while (run.ended.load(std::memory_order_acquire) < all.threads.size()) {
    if (!watch(progress_of(all))) {
      all.ended_early = true;
      run.stop = true;
    }
  }
  all.elapsed = std::clamp(takt_rt::now() - run.first, takt_rt::Duration{}, all.setting.duration);
}

}  // namespace

bool Measurement::granted_all() const
{
  return memory_faults.empty() && load_faults.empty() &&
         std::all_of(threads.begin(), threads.end(), [](const auto & thread) {
           return thread->report().granted_all();
         });
}

Measurement measure(const Setting & setting, const Watch & watch)
{
  Measurement all;
  all.setting = setting;
  all.run = std::make_unique<Run>();
  all.run->interval = setting.interval;
  const GateKeeper keeper(*all.run);
  start_threads(all);
  std::optional<Load> load;
  if (setting.load) {
    load.emplace(setting.cores);
    all.load_faults = load->faults();
  }
  // Do this last: with a limit of locked memory the kernel might refuse the stacks of later
  // threads.
  const takt_rt::Status locked = takt_rt::lock_memory();
  all.memory_locked = locked.ok();
  all.memory_faults = locked.faults();
  if (!setting.strict || all.granted_all()) {
    run_to_the_end(all, watch);
    all.done = true;
  }
  takt_rt::unlock_memory();
  return all;
}

}  // namespace takt_bench::latency
