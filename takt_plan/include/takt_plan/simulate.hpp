// Simulation: runs a system under a schedule event by event, in virtual time, and says what responses
// it saw.
//
// Callbacks are picked by takt_core's own scheduler, one for each executor, driven as executor threads
// drive it; cores are shared as kernel_model.hpp says. What the system and the schedule leave open,
// the phases of sources, execution times, jitter and how long messages are under way, is drawn from a
// seed, so that a run can be had again.
//
// What a run does:
// - A woken thread that gets a core looks for work. A run of a callback is: dispatch, take, the
//   execution time, publish; take and publish at the middleware ceiling if there is one. What it
//   published arrives when it ends; in another executor later, by at most what the system says.
// - Overheads: `dispatch` per run, `middleware` for the message a run takes and for each that it
//   publishes, `context_switch` each time a thread comes on a core.
// - A message from another executor is released when it arrives, as on a real system. A response of a
//   chain still counts from its root's nominal release.
// - After the duration nothing is released any more, and what is under way ends; it has ten times the
//   duration for that. A message that waits for a set of newest messages then has no response: on a running
//   system the next one of its topic might be kept in place of it.
//
// Simplified: the scheduler's own work and system calls take no time beyond `dispatch`; what a timer's
// jitter delays is the thread that sleeps until then, so a busy thread sees it in time; the phases of
// several executors count from one common start.
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

/// Of sources: timers, messages from outside, threads beside the executors'.
enum class Phases
{
  fixed,   ///< the offsets of the system or the schedule; one period where there is none
  random,  ///< any, drawn anew for each run
  /// All at once; then each chain's root just after all others, just before them, and at once with
  /// them but for the less urgent, which have just begun.
  adversarial,
};

/// Execution times and times under way; of a callback without a histogram `uniform` instead.
enum class Execution
{
  worst,
  best,
  uniform,
  histogram
};

struct SimulationOptions
{
  Ns duration = 10'000'000'000;  ///< of each run, above zero
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;  ///< of the first run; each further one has the next
  Phases phases = Phases::fixed;
  Execution execution = Execution::worst;
  /// If set, what each run that works takes in place of that: by task, and how many such runs of it began before in the
  /// same simulated run. From 0 to the task's worst time, and the same for the same arguments.
  std::function<Ns(Index task, std::uint64_t run)> execution_time;
  KernelOptions kernel;
};

/// One response: which run it was in, and from when to when it lasted.
struct Response
{
  std::uint64_t run = 0;
  Ns release = 0;
  Ns end = -1;  ///< before the release: there was none
  Ns time() const noexcept { return end - release; }
};

/// Responses that ended.
struct Responses
{
  std::uint64_t count = 0;
  double sum = 0;
  std::uint64_t missed = 0;  ///< of these, beyond their deadline
  Response worst;

  double mean() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

struct TaskResult
{
  Responses responses;  ///< from its own release
  Ns from_source =
    -1;  ///< longest, from the nominal release of the source that started it; -1: none
  std::uint64_t skipped = 0;  ///< periods of a timer
  /// Messages, each topic's on its own: received = taken + overwritten + waiting at the end.
  std::uint64_t received = 0, taken = 0, overwritten = 0, waiting = 0;
};

struct ChainResult
{
  std::uint64_t released = 0;  ///< runs of its root
  Responses responses;         ///< from the root's nominal release to the last callback's end
};

struct SimulationResult
{
  std::vector<TaskResult> tasks;
  std::vector<ChainResult> chains;
  std::vector<Ns> busy;  ///< per core
  Ns simulated = 0;      ///< over all runs, until the last callback ended
  std::uint64_t runs = 0;
  std::uint64_t jobs = 0;      ///< runs of callbacks
  std::uint64_t instants = 0;  ///< points in time at which something happened
};

/// How many runs `Phases::adversarial` has before it begins again.
std::uint64_t adversarial_runs(const SimulationModel & model);

/// Faults: options out of range, histories too deep for memory, groups that the schedulers refuse.
takt_rt::Result<SimulationResult> simulate(
  const SimulationModel & model, const SimulationOptions & options);

/// One of those runs again, watched.
takt_rt::Status watch(
  const SimulationModel & model, const SimulationOptions & options, std::uint64_t run,
  SimulationObserver & observer);

}  // namespace takt_plan

#endif  // TAKT_PLAN__SIMULATE_HPP_
