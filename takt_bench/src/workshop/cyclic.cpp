#include "workshop/cyclic.hpp"

#include <time.h>

#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "latency/load.hpp"
#include "takt_rt/application/application.hpp"
#include "workshop/burn.hpp"

namespace takt_bench::workshop
{

using takt_rt::Duration;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::Time;

namespace
{

constexpr Duration kWork = std::chrono::microseconds(200);

std::size_t room(const Setting & setting, std::size_t slices)
{
  return slices *
         (static_cast<std::size_t>((setting.duration + 2 * setting.warm_up) / kCyclePeriod) + 1000);
}

takt_rt::ThreadAttributes attributes_of(const Setting & setting, int core)
{
  takt_rt::ThreadAttributes attributes;
  const bool fifo = setting.variant == "fifo" || setting.variant == "raw_fifo";
  attributes.policy = fifo ? takt_rt::Policy::fifo : takt_rt::Policy::other;
  attributes.priority = fifo ? kCyclePriority : 0;
  attributes.cores = {core};
  attributes.name = "cyclic." + std::to_string(core);
  return attributes;
}

/// The notes of one cyclic thread. Only that thread uses them.
struct Cycles
{
  SliceLog & log;
  StallNotes stalls{};  // of its own core: a stall of another one does not excuse it
  bool accounted = false;
  Time end_of_last{};
  std::vector<takt_trace::TimeSpan> missed{};

  void begin(const takt_rt::Cycle & cycle) noexcept
  {
    const Time woke = cycle.release + cycle.latency;
    ThreadWitness::mine().late(cycle.release, woke, stalls, kLate);
    log.add(Slice::wakeup, cycle.release, woke);
    if (end_of_last != Time{}) {
      log.add(Slice::sleep, end_of_last, woke);
    }
    if (cycle.missed > 0) {
      log.overran();
      missed.insert(missed.end(), cycle.missed, {cycle.release - kCyclePeriod, woke});
    }
  }
  void end(const takt_rt::Cycle & cycle) noexcept
  {
    end_of_last = takt_rt::now();
    ThreadWitness::mine().ended(end_of_last);
    accounted = ThreadWitness::mine().accounted();
    log.add(Slice::loop, cycle.release + cycle.latency, end_of_last);
  }
};

/// cyclictest's loop: no toolkit, no work.
void run_raw(Cycles & cycles, Time end)
{
  takt_rt::ReleaseGrid grid(takt_rt::now() + kCyclePeriod, kCyclePeriod);
  while (grid.release() < end) {
    const Time release = grid.release();
    const std::int64_t ns = takt_rt::to_ns(release);
    const timespec until{ns / 1'000'000'000, ns % 1'000'000'000};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    const Time now = takt_rt::now();
    if (now >= release) {
      cycles.begin({release, now - release, grid.move_on(now)});
      cycles.accounted = ThreadWitness::mine().accounted();
    }
  }
}

void add(const takt_rt::AttributeReport & report, Faults & to)
{
  to.insert(to.end(), report.faults.begin(), report.faults.end());
}

}  // namespace

Result<std::unique_ptr<Found>> run_cyclic(const Setting & setting)
{
  auto found = std::make_unique<Found>();
  std::deque<Cycles> cycles;
  for (const int core : setting.cores) {
    found->logs.emplace_back("core " + std::to_string(core), room(setting, 3));
    cycles.emplace_back(found->logs.back());
    cycles.back().missed.reserve(room(setting, 1));
  }
  std::optional<latency::Load> load;
  if (setting.stress) {
    load.emplace(setting.cores);
    found->refused = load->faults();
  }
  found->from = takt_rt::now() + setting.warm_up;
  found->to = found->from + setting.duration;
  if (setting.variant.rfind("raw_", 0) == 0) {
    std::vector<takt_rt::AttributeReport> reports(cycles.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      threads.emplace_back([&, i] {
        reports[i] = takt_rt::apply(attributes_of(setting, setting.cores[i]));
        run_raw(cycles[i], found->to);
      });
    }
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      threads[i].join();
      add(reports[i], found->refused);
    }
  } else {
    takt_rt::Application application;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      takt_rt::CyclicOptions options;
      options.period = kCyclePeriod;
      options.attributes = attributes_of(setting, setting.cores[i]);
      application.add(options, [&, i](const takt_rt::Cycle & cycle) {
        cycles[i].begin(cycle);
        ThreadWitness::mine().burn(kWork, cycles[i].stalls);
        cycles[i].end(cycle);
        return takt_rt::now() < found->to ? takt_rt::NextCycle::go_on : takt_rt::NextCycle::stop;
      });
    }
    auto started = application.start();
    if (!started) {
      return started.faults();
    }
    found->refused.insert(found->refused.end(), started->refused.begin(), started->refused.end());
    application.wait();
  }
  for (const Cycles & each : cycles) {
    each.log.add_stalls(each.stalls.all());
    found->stalls_without_room += each.stalls.without_room();
    found->stalls_seen = found->stalls_seen && each.accounted;
    found->count_overruns(each.missed, each.log);
  }
  return found;
}

}  // namespace takt_bench::workshop
