#include "workshop/sharing.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "latency/load.hpp"
#include "takt_rt/allocation_guard.hpp"
#include "takt_rt/application/application.hpp"
#include "takt_rt/atomic_value.hpp"
#include "takt_rt/exchange.hpp"
#include "takt_rt/pi_mutex.hpp"
#include "takt_rt/small_thread.hpp"
#include "takt_rt/spsc_ring.hpp"
#include "takt_trace/stall_witness.hpp"
#include "workshop/burn.hpp"
#include "workshop/pendulum.hpp"

namespace takt_bench::workshop
{

using takt_rt::Duration;
using takt_rt::Result;
using takt_rt::Time;

namespace
{

constexpr Duration kPopEvery = std::chrono::milliseconds(10);
constexpr Duration kPopWork = std::chrono::microseconds(200);
constexpr std::size_t kRing = 8192;
constexpr std::size_t kStack = 256 * 1024;

/// A set point that moves to and fro every six seconds.
double set_point()
{
  constexpr double kSeconds = 6.0;
  const double seconds = std::chrono::duration<double>(takt_rt::now().time_since_epoch()).count();
  return 0.2 * std::sin(2.0 * M_PI * seconds / kSeconds);
}

// ---- ways of sharing

/// 2-1, wrong: the thread that holds the mutex may lose its core meanwhile.
struct PositionUnderMutex : Way
{
  PositionUnderMutex() : Way(Slice::get_desired_position) {}
  std::mutex mutex;
  double position = 0.0;

  void control(Controlled & controlled) override
  {
    const std::scoped_lock lock(mutex);
    controlled.desired = position;
  }
  void beside() override
  {
    const double next = set_point();
    const std::scoped_lock lock(mutex);
    position = next;
  }
};

/// 2-1, right.
struct AtomicPosition : Way
{
  AtomicPosition() : Way(Slice::get_desired_position) {}
  takt_rt::AtomicValue<double> position{0.0};

  void control(Controlled & controlled) override { controlled.desired = position.get(); }
  void beside() override { position.set(set_point()); }
};

/// 2-2, wrong with std::mutex, right with PiMutex: the thread that holds it has the waiting
/// thread's priority.
template <typename Mutex>
struct GainsUnderMutex : Way
{
  GainsUnderMutex() : Way(Slice::get_pid_constants) {}
  Mutex mutex;
  Gains gains{};
  double read = 0.0;

  Gains get()
  {
    const std::scoped_lock lock(mutex);
    return gains;
  }
  void control(Controlled & controlled) override { controlled.gains = get(); }
  void beside() override { read = read + get().p; }
};

/// 2-2, right, too: neither thread waits. Here the other thread writes, because a value has one
/// reader.
struct LatestGains : Way
{
  LatestGains() : Way(Slice::get_pid_constants) {}
  takt_rt::Exchange<Gains> gains{Gains{}};
  Gains next{};

  void control(Controlled & controlled) override { controlled.gains = gains.read().value; }
  void beside() override
  {
    next.i = 0.1 + 0.01 * set_point();
    gains.write(next);
  }
};

/// 2-2, right, too: where the other thread has the mutex, the controller goes on with the constants
/// that it has.
struct GainsIfFree : Way
{
  GainsIfFree() : Way(Slice::get_pid_constants) {}
  std::mutex mutex;
  Gains gains{};
  double read = 0.0;

  void control(Controlled & controlled) override
  {
    if (const std::unique_lock lock(mutex, std::try_to_lock); lock.owns_lock()) {
      controlled.gains = gains;
    }
  }
  void beside() override
  {
    const std::scoped_lock lock(mutex);
    read = read + gains.p;
  }
};

/// 2-2, right, too: the controller borrows the constants for its copy, and the other thread repeats
/// its compare-and-swap until they are back.
struct GainsBySwap : Way
{
  GainsBySwap() : Way(Slice::get_pid_constants) {}
  Gains both[2]{};
  std::atomic<Gains *> newest{&both[0]};  // null: borrowed
  Gains * published = &both[0];           // of the other thread, as `spare`
  Gains * spare = &both[1];

  void control(Controlled & controlled) override
  {
    Gains * const borrowed = newest.exchange(nullptr, std::memory_order_acquire);
    controlled.gains = *borrowed;
    newest.store(borrowed, std::memory_order_release);
  }
  void beside() override
  {
    spare->i = 0.1 + 0.01 * set_point();
    for (Gains * expected = published;
         !newest.compare_exchange_weak(expected, spare, std::memory_order_acq_rel);) {
      expected = published;
    }
    std::swap(published, spare);
  }
};

struct Measured
{
  Time time;
  double angle = 0.0;
};

/// 2-3, wrong: the other thread works while it holds the mutex, and the queue allocates.
struct QueueUnderMutex : Way
{
  explicit QueueUnderMutex(StallNotes & notes) : Way(Slice::update_queue), stalls(notes) {}
  std::mutex mutex;
  std::queue<Measured> queue;
  StallNotes & stalls;

  void control(Controlled & controlled) override
  {
    const std::scoped_lock lock(mutex);
    queue.push({takt_rt::now(), controlled.angle});
  }
  bool pop()
  {
    const std::scoped_lock lock(mutex);
    if (queue.empty()) {
      return false;
    }
    queue.pop();
    ThreadWitness::mine().burn(kPopWork, stalls);
    return true;
  }
  void beside() override
  {
    takt_rt::MonotonicClock::sleep_until(takt_rt::now() + kPopEvery);
    while (pop()) {
    }
  }
  std::optional<std::uint64_t> dropped() const override { return 0; }
};

/// 2-3, right.
struct Ring : Way
{
  explicit Ring(StallNotes & notes) : Way(Slice::update_queue), stalls(notes) {}
  takt_rt::SpscRing<Measured> ring{kRing};
  StallNotes & stalls;

  void control(Controlled & controlled) override
  {
    ring.try_push({takt_rt::now(), controlled.angle});
  }
  void beside() override
  {
    takt_rt::MonotonicClock::sleep_until(takt_rt::now() + kPopEvery);
    for (Measured each{}; ring.try_pop(each);) {
      ThreadWitness::mine().burn(kPopWork, stalls);
    }
  }
  std::optional<std::uint64_t> dropped() const override { return ring.dropped(); }
};

/// The limit of the machine: no code is between the two looks at the clock.
void measure_nothing(SliceLog & log) noexcept
{
  const Time begin = takt_rt::now();
  const Time end = takt_rt::now();
  log.add(Slice::nothing, begin, end);
}

}  // namespace

Result<std::unique_ptr<Found>> share(const Setting & setting, StallNotes & stalls, Way & way)
{
  auto found = std::make_unique<Found>();
  const std::size_t cycles =
    static_cast<std::size_t>((setting.duration + 2 * setting.warm_up) / kCyclePeriod) + 1000;
  SliceLog & log = found->logs.emplace_back("controller", 6 * cycles);
  const int core = setting.cores.front();

  takt_trace::StallWitness of_core({core});
  std::optional<latency::Load> load;
  if (setting.stress) {
    load.emplace(setting.cores);
    found->refused = load->faults();
  }
  found->from = takt_rt::now() + setting.warm_up;
  found->to = found->from + setting.duration;

  Pendulum pendulum;
  Controller controller;
  Controlled controlled;
  Time last{};
  std::uint64_t allocations = 0;
  bool accounted = true;
  bool empty_first = false;
  std::vector<takt_trace::TimeSpan> missed;
  missed.reserve(cycles);

  takt_rt::Application application;
  takt_rt::CyclicOptions options;
  options.period = kCyclePeriod;
  options.attributes.policy = takt_rt::Policy::fifo;
  options.attributes.priority = kCyclePriority;
  options.attributes.cores = {core};
  options.attributes.name = "controller";
  application.add(options, [&](const takt_rt::Cycle & cycle) {
    const Time woke = cycle.release + cycle.latency;
    ThreadWitness & witness = ThreadWitness::mine();
    witness.late(cycle.release, woke, stalls, kLate);
    const double seconds =
      last == Time{} ? 0.0 : std::chrono::duration<double>(woke - last).count();
    last = woke;
    const Time reads = takt_rt::now();
    controlled.angle = pendulum.angle();
    log.add(Slice::read_sensor, reads, takt_rt::now());
    // Either slice is the first one in every other cycle: the host takes a core more often just
    // after a wake-up.
    empty_first = !empty_first;
    if (empty_first) {
      measure_nothing(log);
    }
    Time begin, end;
    {
      const takt_rt::AllocationGuard guard;
      begin = takt_rt::now();
      way.control(controlled);
      end = takt_rt::now();
      allocations += begin >= found->from ? guard.allocations() : 0;
    }
    if (!empty_first) {
      measure_nothing(log);
    }
    log.add(way.slice, begin, end);
    const Time computes = takt_rt::now();
    const double command =
      controller.command(controlled.desired - controlled.angle, controlled.gains, seconds);
    const Time writes = takt_rt::now();
    pendulum.step(command, seconds);
    log.add(Slice::get_command, computes, writes);
    log.add(Slice::write_command, writes, takt_rt::now());
    const Time done = takt_rt::now();
    log.add(Slice::loop, woke, done);
    witness.ended(done);
    accounted = witness.accounted();
    if (cycle.missed > 0) {
      log.overran();
      // A stall in the cycle before this one may be the cause, too.
      missed.insert(missed.end(), cycle.missed, {cycle.release - kCyclePeriod, woke});
    }
    return woke < found->to ? takt_rt::NextCycle::go_on : takt_rt::NextCycle::stop;
  });

  std::atomic<bool> stop{false};
  takt_rt::AttributeReport other;
  {
    takt_rt::SmallThread beside(kStack, [&] {
      takt_rt::ThreadAttributes attributes;
      attributes.policy = takt_rt::Policy::other;
      attributes.cores = {core};
      attributes.name = "beside";
      other = takt_rt::apply(attributes);
      while (!stop.load(std::memory_order_relaxed)) {
        way.beside();
      }
    });
    auto started = application.start();
    if (started) {
      application.wait();
    }
    stop = true;
    if (!started) {
      return started.faults();
    }
    found->refused.insert(found->refused.end(), started->refused.begin(), started->refused.end());
  }
  found->refused.insert(found->refused.end(), other.faults.begin(), other.faults.end());
  found->stalls_seen = !of_core.blind().has_value() && accounted;
  found->stalls = takt_trace::host_spans(of_core.stop());
  found->stalls_without_room = of_core.unrecorded() + stalls.without_room();
  const auto noticed = stalls.all();
  found->stalls.insert(found->stalls.end(), noticed.begin(), noticed.end());
  found->count_overruns(missed, log);
  if (takt_rt::kWatches) {
    found->allocations = allocations;
  }
  found->dropped = way.dropped();
  return found;
}

Result<std::unique_ptr<Found>> run_sharing(const Setting & setting)
{
  StallNotes stalls;
  const auto with = [&](Way && way) { return share(setting, stalls, way); };
  const bool mutex = setting.variant == "mutex";
  if (setting.exercise == "2-1") {
    return mutex ? with(PositionUnderMutex{}) : with(AtomicPosition{});
  }
  if (setting.exercise == "2-2") {
    if (setting.variant == "latest") {
      return with(LatestGains{});
    }
    if (setting.variant == "try_lock") {
      return with(GainsIfFree{});
    }
    if (setting.variant == "compare_and_swap") {
      return with(GainsBySwap{});
    }
    return mutex ? with(GainsUnderMutex<std::mutex>{}) : with(GainsUnderMutex<takt_rt::PiMutex>{});
  }
  return mutex ? with(QueueUnderMutex(stalls)) : with(Ring(stalls));
}

}  // namespace takt_bench::workshop
