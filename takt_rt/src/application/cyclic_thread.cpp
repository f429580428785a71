#include "takt_rt/application/cyclic_thread.hpp"

#include <climits>
#include <utility>

#include "takt_rt/futex.hpp"

namespace takt_rt
{

namespace
{

// Less than the system's default: locked memory has each stack whole.
constexpr std::size_t kDefaultStack = std::size_t{1} << 20U;

/// The clock of `run_cycles`.
struct StoppableClock
{
  CycleClock & clock;
  const std::atomic<bool> & stop;
  Time now() noexcept { return clock.now(); }
  void sleep_until(Time time) noexcept { clock.sleep_until(time, stop); }
};

}  // namespace

ThreadAttributes attributes_of(const CyclicOptions & options)
{
  ThreadAttributes attributes = options.attributes;
  if (attributes.policy == Policy::deadline) {
    attributes.period = attributes.period > Duration{} ? attributes.period : options.period;
    attributes.deadline =
      attributes.deadline > Duration{} ? attributes.deadline : attributes.period;
  }
  return attributes;
}

/// What `run_cycles` calls.
struct CyclicWork
{
  CyclicThread & thread;
  void run(const Cycle & cycle) noexcept { thread.run(cycle); }
  void woke_early() noexcept {}
};

CyclicThread::CyclicThread(CyclicOptions options, CycleFunction function, CyclicStart & start)
: options_(std::move(options)),
  function_(std::move(function)),
  guarded_(options_.attributes.name.empty() ? "cyclic thread" : options_.attributes.name.c_str()),
  start_(start)
{
  const std::size_t stack = options_.attributes.stack_size;
  thread_ = std::make_unique<SmallThread>(stack > 0 ? stack : kDefaultStack, [this] { work(); });
}

CyclicThread::~CyclicThread()
{
  stop();
}

void CyclicThread::work()
{
  report_ = start_.setter->apply(attributes_of(options_), 0);
  stack_ = prefault_stack(options_.stack_bytes);
  CycleClock & clock = *start_.clock;
  clock.enter();
  clock.now();  // the first calls bind their symbols
  thread_page_faults();
  guarded_.prepare_thread();
  start_.gate.pass();
  if (!start_.cancelled) {
    CyclicWork cycles{*this};
    StoppableClock stoppable{clock, stop_};
    faults_before_ = thread_page_faults();
    run_cycles(
      stoppable, ReleaseGrid(first_release(), options_.period, options_.overrun), kNever, stop_,
      cycles);
  }
  clock.leave();
  ended_.store(1, std::memory_order_release);
  futex_wake(ended_, INT_MAX);
}

Time CyclicThread::first_release() const noexcept
{
  const Time earliest = start_.epoch + options_.offset;
  if (options_.epoch == CyclicEpoch::start) {
    return earliest;
  }
  // The first k * period + offset at or after the start.
  const std::int64_t period = options_.period.count();
  const std::int64_t from = to_ns(start_.epoch);
  const std::int64_t offset = options_.offset.count() % period;
  const std::int64_t past = ((from - offset) % period + period) % period;
  return from_ns(past == 0 ? from : from + period - past);
}

void CyclicThread::run(const Cycle & cycle) noexcept
{
  latencies_.record(cycle.latency);
  missed_.fetch_add(cycle.missed, std::memory_order_relaxed);
  late_.fetch_add(cycle.latency >= options_.period ? 1 : 0, std::memory_order_relaxed);
  try {
    const Guard guard(guarded_, Watched::as_callbacks);
    if (function_(cycle) == NextCycle::stop) {
      stop_.store(true, std::memory_order_relaxed);
    }
  } catch (...) {
    failure_ = std::current_exception();
    stop_.store(true, std::memory_order_relaxed);
  }
  execution_times_.record(start_.clock->now() - (cycle.release + cycle.latency));
  const PageFaults faults = thread_page_faults();
  minor_faults_.store(faults.minor - faults_before_.minor, std::memory_order_relaxed);
  major_faults_.store(faults.major - faults_before_.major, std::memory_order_relaxed);
}

void CyclicThread::stop() noexcept
{
  stop_.store(true, std::memory_order_relaxed);
  start_.clock->stopped();
}

void CyclicThread::wait() const noexcept
{
  while (ended_.load(std::memory_order_acquire) == 0) {
    futex_wait(ended_, 0);
  }
}

}  // namespace takt_rt
