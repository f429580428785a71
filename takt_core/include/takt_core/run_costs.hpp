// A run's use of its thread. The executor measures it once, for all observers.
#ifndef TAKT_CORE__RUN_COSTS_HPP_
#define TAKT_CORE__RUN_COSTS_HPP_

#include <algorithm>
#include <cstdint>

namespace takt_core
{

/// Times in nanoseconds; below 0: not measured. CPU times are right to 2 us: a shorter take, and a
/// shorter time since the thread's last run, are measured on the monotonic clock, and a preemption
/// within them counts.
struct RunCosts
{
  std::int64_t cpu = -1;       ///< CPU time of the thread, from the pick to the end
  std::int64_t take_cpu = -1;  ///< the part of `cpu` up to the start
  /// Time ready without a core, from the end of the thread's previous run to this pick. For a
  /// nested run: from the pick of the outer run.
  std::int64_t wait_before = -1;
  std::int64_t wait = -1;  ///< time ready without a core, from the pick to the end
  /// Context switches from the pick to the end because the thread went to sleep.
  std::uint32_t voluntary = 0;
  std::uint32_t involuntary = 0;  ///< switches because another thread or the host took the core

  /// The part of a run of `elapsed` ns in which the thread slept: it neither worked nor waited for
  /// a core. 0 if the thread never left its core by itself: then the host took the rest. Below 0:
  /// not measured.
  std::int64_t slept(std::int64_t elapsed) const noexcept
  {
    if (cpu < 0 || wait < 0) {
      return -1;
    }
    return voluntary == 0 ? 0 : std::max<std::int64_t>(elapsed - cpu - wait, 0);
  }
};

/// While an object of this class lives, the executors of this process measure the costs of all runs
/// that begin. They do not measure costs that no object requests. CPU times cost one system call a
/// run, one more if the thread's last run ended at least 2 us ago, and one more if the take took as
/// long. The kernel's counters cost four. Without any request a run costs one load more. Any
/// thread; the constructor may block and allocate, the destructor is real-time safe.
class RunCostsWanted
{
public:
  /// The groups of costs that an observer can request.
  struct Costs
  {
    bool cpu = false;     ///< `cpu` and `take_cpu`
    bool kernel = false;  ///< `wait_before`, `wait` and the context switches
  };
  explicit RunCostsWanted(Costs costs);
  ~RunCostsWanted();
  RunCostsWanted(const RunCostsWanted &) = delete;
  RunCostsWanted & operator=(const RunCostsWanted &) = delete;

private:
  const std::uint32_t asked_;
};

/// While the object lives, the calling thread's CPU time does not count for the run in progress.
/// Real-time safe; two system calls where CPU times are measured.
class NotOfTheRun
{
public:
  NotOfTheRun() noexcept;
  ~NotOfTheRun();
  NotOfTheRun(const NotOfTheRun &) = delete;
  NotOfTheRun & operator=(const NotOfTheRun &) = delete;

private:
  const std::int64_t began_;
};

}  // namespace takt_core

#endif  // TAKT_CORE__RUN_COSTS_HPP_
