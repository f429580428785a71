// Cores with threads of fixed priority, as SCHED_FIFO runs them.
//
// The most urgent threads that have work get the cores, of equal ones the one that was there first:
// one thread after the other, each the core where it is if no more urgent thread has got it, or
// else another one of its cores. A thread that comes on a core first pays for the switch, anew each
// time.
#ifndef JOB_ORACLE__CORES_HPP_
#define JOB_ORACLE__CORES_HPP_

#include <vector>

#include "model.hpp"
#include "situation.hpp"

namespace job_oracle
{

class Cores
{
public:
  /// Keeps a reference to `situation`.
  Cores(int cores, Time context_switch, Situation & situation)
  : context_switch_(context_switch),
    situation_(situation),
    running_(static_cast<std::size_t>(cores), kNone)
  {
  }

  /// The number of a new thread, which has nothing to do.
  int add(std::vector<int> cores, int priority);

  bool busy(int thread) const { return at(thread).busy; }
  /// It has something to do from now on, of `left`.
  void wake(int thread);
  void sleep(int thread);
  void set_left(int thread, Time left) { at(thread).left = left; }
  void add_left(int thread, Time more) { at(thread).left += more; }
  /// A raised thread goes behind others of that priority, a lowered one before them.
  void set_priority(int thread, int priority);

  int cores() const { return static_cast<int>(running_.size()); }
  /// The thread on the core; kNone: idle.
  int running(int core) const { return running_[static_cast<std::size_t>(core)]; }
  /// Whether the core's thread has done what it had to do.
  bool done(int core) const;
  /// Whether another thread should be on some core; it is from then on.
  bool choose();
  /// When some core's thread has done what it has to do.
  Time next(Time now) const;
  void pass(Time time);

private:
  struct Thread
  {
    std::vector<int> cores;
    int core = kNone;  // where it was last, until another thread comes there
    int priority = 0;
    bool busy = false;
    Time left = 0;
    Time switching = 0;
  };
  Thread & at(int thread) { return threads_[static_cast<std::size_t>(thread)]; }
  const Thread & at(int thread) const { return threads_[static_cast<std::size_t>(thread)]; }
  int place_for(int thread, const std::vector<int> & next);

  Time context_switch_;
  Situation & situation_;
  std::vector<int> running_;  // per core
  std::vector<int> queue_;    // all with work, those that run too
  std::vector<Thread> threads_;
};

}  // namespace job_oracle

#endif  // JOB_ORACLE__CORES_HPP_
