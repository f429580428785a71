// Cores with threads of fixed priority, as SCHED_FIFO runs them.
//
// On each core the most urgent thread that has work runs; of equal ones the one that was there
// first. A thread that comes on a core first pays for the switch, anew each time.
#ifndef JOB_ORACLE__CORES_HPP_
#define JOB_ORACLE__CORES_HPP_

#include <vector>

#include "model.hpp"

namespace job_oracle
{

class Cores
{
public:
  Cores(int cores, Time context_switch)
  : context_switch_(context_switch),
    cores_(static_cast<std::size_t>(cores))
  {
  }

  /// The number of a new thread, which has nothing to do.
  int add(int core, int priority);

  bool busy(int thread) const { return at(thread).busy; }
  /// It has something to do from now on, of `left`.
  void wake(int thread);
  void sleep(int thread);
  void set_left(int thread, Time left) { at(thread).left = left; }
  void add_left(int thread, Time more) { at(thread).left += more; }
  /// A raised thread goes behind others of that priority, a lowered one before them.
  void set_priority(int thread, int priority);

  int cores() const { return static_cast<int>(cores_.size()); }
  /// The thread on the core; kNone: idle.
  int running(int core) const { return cores_[static_cast<std::size_t>(core)].running; }
  /// Whether the core's thread has done what it had to do.
  bool done(int core) const;
  /// Whether another thread should be on the core; it is from then on.
  bool choose(int core);
  /// When some core's thread has done what it has to do.
  Time next(Time now) const;
  void pass(Time time);

private:
  struct Thread
  {
    int core = 0;
    int priority = 0;
    bool busy = false;
    Time left = 0;
    Time switching = 0;
  };
  struct Core
  {
    int running = kNone;
    std::vector<int> queue;  // all with work, the one that runs too
  };

  Thread & at(int thread) { return threads_[static_cast<std::size_t>(thread)]; }
  const Thread & at(int thread) const { return threads_[static_cast<std::size_t>(thread)]; }
  std::vector<int> & queue_of(int thread)
  {
    return cores_[static_cast<std::size_t>(at(thread).core)].queue;
  }

  Time context_switch_;
  std::vector<Core> cores_;
  std::vector<Thread> threads_;
};

}  // namespace job_oracle

#endif  // JOB_ORACLE__CORES_HPP_
