// Simulation: runs a system under a schedule event by event, in virtual time, and reports the
// responses.
//
// Callbacks are picked by takt_core's own scheduler, one for each executor, driven as executor
// threads drive it. Threads share cores as kernel_model.hpp says. The system and the schedule leave
// phases of sources, execution times, jitter and the times of messages under way open: the
// simulation draws these from a seed, so that a run can be repeated.
//
// In a run:
// - A woken thread that gets a core looks for work. A run of a callback is: dispatch, take, the
//   execution time, publish; take and publish at the middleware ceiling if there is one. Its
//   messages arrive when it ends. In another executor they arrive later, by at most the time that
//   the system says.
// - Runs of non-triggering callbacks come between the take and the execution time of their taker. A
//   message that the taker leaves out costs a dispatch and a take.
// - Messages of a group with logical execution time arrive at the end of the period, when a
//   callback of the executor publishes them on the timer's threads, as in the executor
//   (src/simulation/simulation_borders.cpp).
// - Overheads: `dispatch` per run, `middleware` for the message a run takes and for each that it
//   publishes, `context_switch` each time a thread comes on a core.
// - A message from another executor is released when it arrives, as on a real system. A response of
//   a chain still counts from its root's nominal release.
// - After the duration no source releases any more, and present work ends; it has ten times the
//   duration for that. A message that waits for a set of newest messages, or for a taker, then has
//   no response: on a running system the next one of its topic might be kept in place of it.
//
// Simplified: the scheduler's own work and system calls take no time beyond `dispatch`; the jitter
// of a timer delays only a thread that sleeps until the release, so a busy thread sees the release
// in time; the phases of several executors count from one common start.
//
// Set-up only: allocates, takes long. The same input gives the same result.
#ifndef TAKT_PLAN__SIMULATE_HPP_
#define TAKT_PLAN__SIMULATE_HPP_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "takt_plan/simulation_model.hpp"

namespace takt_plan
{

class SimulationObserver;

/// The phases of sources: timers, outside messages, and threads outside of executors.
enum class Phases
{
  fixed,   ///< the offsets of the system or the schedule; one period for sources without an offset
  random,  ///< drawn again for each run
  /// First all sources at once. Then for each chain: its root just after all others, just before
  /// them, and at once with them, where the less urgent callbacks have just begun.
  adversarial,
};

/// The execution times, and the times of messages under way. A callback without a histogram uses
/// `uniform`.
enum class Execution
{
  worst,
  best,
  uniform,
  histogram
};

/// Options of `simulate`.
struct SimulationOptions
{
  Ns duration = 10'000'000'000;  ///< of each run, above zero
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;  ///< of the first run; each further run has the next number
  Phases phases = Phases::fixed;
  Execution execution = Execution::worst;
  /// If set: the execution time of each run that works, from 0 to the task's longest time. `run`:
  /// the number of such runs of the task that began before in the same simulated run. Must return
  /// the same value for the same arguments.
  std::function<Ns(Index task, std::uint64_t run)> execution_time;
  /// If set: called from time to time, with the runs that ended and the virtual time of the present
  /// one.
  std::function<void(std::uint64_t runs, Ns now)> progress;
  KernelOptions kernel;
};

/// One response: its run, its release and its end.
struct Response
{
  std::uint64_t run = 0;
  Ns release = 0;
  Ns end = -1;  ///< before the release: there was no response
  /// The response time in ns.
  Ns time() const noexcept { return end - release; }
};

/// Responses that ended.
struct Responses
{
  std::uint64_t count = 0;
  double sum = 0;
  std::uint64_t missed = 0;  ///< those beyond their deadline
  Response worst;

  /// The mean response time in ns; 0 without responses.
  double mean() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

/// The result for one task.
struct TaskResult
{
  Responses responses;  ///< from the callback's own release
  /// Longest, from the nominal release of the source that started it; -1: none.
  Ns from_source = -1;
  std::uint64_t skipped = 0;  ///< skipped periods of a timer
  /// Of a timer with logical execution time: runs that ended at or behind the end of their period.
  std::uint64_t late_runs = 0;
  /// Messages, counted for each topic: received = taken + overwritten + waiting at the end.
  std::uint64_t received = 0, taken = 0, overwritten = 0, waiting = 0;
  /// Of those taken: a taker left them out (max_age, keep), so nothing ran for them.
  std::uint64_t left_out = 0;
};

/// The result for one chain.
struct ChainResult
{
  std::uint64_t released = 0;  ///< runs of the chain's root
  Responses responses;         ///< from the root's nominal release to the last callback's end
};

/// The result of all runs.
struct SimulationResult
{
  std::vector<TaskResult> tasks;
  std::vector<ChainResult> chains;
  std::vector<Ns> busy;  ///< per core
  Ns simulated = 0;      ///< in all runs, until the last callback ended
  std::uint64_t runs = 0;
  std::uint64_t jobs = 0;      ///< runs of callbacks
  std::uint64_t instants = 0;  ///< points in virtual time with an event
};

/// The number of runs after which `Phases::adversarial` begins again.
std::uint64_t adversarial_runs(const SimulationModel & model);

/// Faults: options out of range, histories too deep for the memory, groups that the schedulers
/// refuse.
takt_rt::Result<SimulationResult> simulate(
  const SimulationModel & model, const SimulationOptions & options);

/// Repeats one of these runs, with an observer.
takt_rt::Status watch(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t run,
  SimulationObserver & observer);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SIMULATE_HPP_
