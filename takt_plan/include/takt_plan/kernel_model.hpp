// The kernel's part of a simulation: which thread runs on which core, in virtual time.
//
// It knows whether threads are runnable, and not what they do. The simulation wakes and blocks
// threads, asks for the assignment and lets time pass:
//
//     wake(t)  block(t)  ──►  settle()  ──►  core_of(t)  ──►  advance(to)   to <= next_change()
//
// One run queue for all cores; each moment the most urgent runnable threads run, each on one of the
// cores it may use. A running thread stays on its core as long as it may. A new one takes an idle
// core, else the core of the least urgent thread. Migration costs nothing.
//
// - fifo, rr (SCHED_FIFO, SCHED_RR): the highest priority, inside a priority the queue's order. A
//   woken thread goes to the tail, a preempted one stays at the head. rr: to the tail after a
//   quantum. A raised thread goes to the tail of its new priority, a lowered one to the head.
// - deadline (SCHED_DEADLINE): above all others, earliest absolute deadline first, each in a
//   constant bandwidth server. The server starts anew when the thread wakes with more budget left
//   than its bandwidth allows up to its deadline. A thread that has used up its budget waits for
//   the next period.
// - fair (SCHED_OTHER, BATCH, IDLE): below all others, least virtual time first, which passes
//   slower for heavier threads. A thread runs for a slice before others are considered. A thread
//   that wakes preempts no fair thread.
//
// Simplified: fair threads have one virtual clock for all cores they share, and neither lag nor
// wake-up preemption; threads that share a core by nice levels get their shares over some slices,
// but not each latency of CFS or EEVDF. Real-time throttling (sched_rt_runtime_us) and the
// admission test of deadline threads are not modelled.
//
// Not thread-safe. Only `add` allocates; no function blocks.
#ifndef TAKT_PLAN__KERNEL_MODEL_HPP_
#define TAKT_PLAN__KERNEL_MODEL_HPP_

#include <cstdint>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan
{

/// The policies that the model distinguishes.
enum class KernelPolicy : std::uint8_t
{
  fair,
  fifo,
  rr,
  deadline
};

/// The attributes of one thread. Times are in ns.
struct KernelThread
{
  KernelPolicy policy = KernelPolicy::fair;
  int priority = 0;          ///< fifo and rr: 1 to 99
  Ns runtime = 0;            ///< deadline: budget in each period, above zero
  Ns deadline = 0;           ///< deadline: relative; at most the period
  Ns period = 0;             ///< deadline
  double weight = 1024;      ///< fair: see `fair_weight`
  std::vector<Index> cores;  ///< the cores that it may use; never empty
};

/// The weight of a nice level: 1024 at 0, a quarter more for each level below.
double fair_weight(int nice);

/// The weight of SCHED_IDLE.
inline constexpr double kIdleWeight = 3;

/// Constants of the kernel, in ns.
struct KernelOptions
{
  Ns rr_quantum = 100'000'000;  ///< Linux's sched_rr_timeslice_ms
  Ns fair_slice = 3'000'000;    ///< Linux's base_slice_ns on machines of eight cores or more
};

/// The kernel of one host.
class KernelModel
{
public:
  /// `start`: the time now.
  explicit KernelModel(Index cores, KernelOptions options = {}, Ns start = 0);

  /// Adds a thread that is blocked; returns its number.
  Index add(KernelThread thread);

  /// The number of cores.
  Index cores() const noexcept { return running_.size(); }
  /// The virtual time in ns.
  Ns now() const noexcept { return now_; }

  /// The thread becomes runnable; does nothing if it is. This and the functions below take effect
  /// at the next `settle`.
  void wake(Index thread);
  /// The thread has no work any more.
  void block(Index thread);
  /// As sched_setscheduler. Not to or from policy `deadline`.
  void set_priority(Index thread, KernelPolicy policy, int priority);

  /// Assigns threads to cores. Returns true if the assignment changed.
  bool settle();

  /// The thread on `core` since the last `settle`, or kNone.
  Index running(Index core) const noexcept { return running_[core]; }
  /// The core of the thread since the last `settle`, or kNone.
  Index core_of(Index thread) const noexcept { return threads_[thread].core; }
  /// Counts how often the thread came on a core: for each wake-up, return from a preemption, and
  /// migration.
  std::uint64_t switches(Index thread) const noexcept { return threads_[thread].switches; }

  /// The time up to which the assignment holds, if no thread wakes, blocks or changes its priority;
  /// kUnbounded: for ever.
  Ns next_change() const noexcept;

  /// Advances the time to `to`, at most to `next_change`. Call `settle` afterwards.
  void advance(Ns to);

private:
  enum class State : std::uint8_t
  {
    blocked,
    runnable,
    throttled  ///< deadline: waits for its next period
  };

  struct Thread
  {
    KernelThread given;
    KernelPolicy policy = KernelPolicy::fair;
    State state = State::blocked;
    bool served = false;  // deadline: its server has begun
    int rank = 0;         // deadline before priorities before fair
    Index core = kNone;
    std::int64_t position = 0;  // in the queue, among threads of equal rank
    Ns left = 0;                // rest of the quantum, slice or budget
    Ns deadline = 0;            // absolute deadline
    Ns refill = 0;              // time of the next budget of a throttled thread
    double virtual_time = 0;    // fair
    std::uint64_t switches = 0;
  };

  bool before(Index a, Index b) const noexcept;
  void enqueue(Index thread);
  void dequeue(Index thread);
  void rank(Thread & thread, KernelPolicy policy, int priority) const noexcept;
  void start_server(Thread & thread);
  void catch_up(Index thread);
  void expire();
  void begin_slices();
  void throttle(Index thread);
  bool contended(Index thread) const noexcept;
  Index choose_core(const Thread & thread) const noexcept;

  const KernelOptions options_;
  Ns now_;
  bool changed_ = false;
  bool timed_ = false;  // true if there is a thread of a policy other than fifo
  std::int64_t tail_ = 0;
  std::int64_t head_ = 0;
  std::vector<Thread> threads_;
  std::vector<Index> queue_;  // runnable threads, the most urgent first
  std::vector<Index> throttled_;
  std::vector<Index> running_;  // per core
  std::vector<Index> next_;     // per core, during `settle`
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__KERNEL_MODEL_HPP_
