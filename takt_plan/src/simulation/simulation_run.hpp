// One run of a simulation: the schedulers, the threads that drive them, the kernel, and time.
//
// At each instant, first messages arrive. Then stages end, in the order of threads. Threads that
// woke by this queue for a core, again in the order of threads. Then threads on cores look for
// work; those that had their core before are first. This repeats until there is no change.
#ifndef TAKT_PLAN__SRC__SIMULATION_RUN_HPP_
#define TAKT_PLAN__SRC__SIMULATION_RUN_HPP_

#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "simulation/simulated_graph.hpp"
#include "takt_plan/draw.hpp"
#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan::detail
{

/// The phases of one run.
struct Offsets
{
  std::vector<Ns> tasks;  ///< first nominal releases; not used for tasks without a release
  std::vector<Ns> others;
  /// The part of its jitter that a source's releases use.
  enum class Jitter
  {
    none,
    first,  ///< the first release uses all of it, later ones use none: the releases come close
            ///< together
    any
  };
  Jitter jitter = Jitter::none;
};

class SimulationRun
{
public:
  SimulationRun(
    const SimulationModel & model, const SimulationOptions & options, std::uint64_t run,
    Offsets offsets, SimulationResult & result, SimulationObserver * observer);
  ~SimulationRun();
  SimulationRun(const SimulationRun &) = delete;
  SimulationRun & operator=(const SimulationRun &) = delete;

  /// Faults of adding the callbacks. With faults, the run cannot begin.
  const takt_rt::Faults & faults() const noexcept { return faults_; }

  /// Runs to the end, and adds to the result.
  void run();

private:
  // Threads look for work once when they start: before the gate opens at 0, and without cost.
  static constexpr Ns kStart = -1;

  class SimulatedCallback;
  struct Border;  // of a group with logical execution time
  struct Host;    // an executor
  struct Thread;  // of an executor, or outside of executors

  struct Event
  {
    enum class Kind : std::uint8_t
    {
      outside,  // a message from outside of the model
      other,    // a job of a thread outside of executors
      message,
      wake  // the sleep of a thread's run is over
    };
    Ns time = 0;
    std::uint64_t sequence = 0;
    Kind kind = Kind::outside;
    bool reads = false;
    Index to = kNone;  // a task or thread
    Index topic = 0;
    Ns nominal = 0;        // of a release
    std::size_t load = 0;  // of a message: its position in under_way_
    bool operator>(const Event & other) const noexcept
    {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  // simulation_setup.cpp
  void add_kernels();
  void add_executors();
  void add_callbacks();
  void add_others();
  Index host_of_thread(Index thread);
  void schedule_first_releases();

  // simulation_borders.cpp
  void add_borders();
  void begin_period(Thread & thread);
  bool hold(Thread & thread);
  void end_period(Thread & thread);
  void arm(Border & border);
  bool start_border(Thread & thread);
  void end_border(Thread & thread);
  Ns publish_due(const Host & host, Ns until);
  Ns cost_of_due(const Host & host, Ns until) const;
  Ns late_border(const Thread & thread, Ns first);

  // simulation_run.cpp
  void stop_releases();
  void stop_timer(SimulatedCallback & callback);
  Ns next_instant() const;
  void advance(Ns to);
  void instant();
  bool end_stages();
  void wake_threads();
  bool settle();
  bool look();
  void find_work(Thread & thread);
  bool start(Thread & thread);
  void set_up_job(Thread & thread);
  void begin_stage(Thread & thread);
  void end_stage(Thread & thread);
  void sleep(Thread & thread);
  void leave_core(Thread & thread);
  void report_endless_waits();
  Ns late_wake(Thread & thread);
  bool serves(const Thread & thread, const SimulatedCallback & callback) const;
  void hasten(const SimulatedCallback & timer);

  // simulation_inputs.cpp
  bool next_input(Thread & thread);
  void go_on_with_taker(Thread & thread);
  void keep(Thread & thread);
  bool next_of_set(Thread & thread);

  // simulation_messages.cpp
  void arrive(const Event & event);
  void release_outside(Index task, Ns nominal);
  Ns jitter(Index task, Ns nominal);
  void plan_release(Event::Kind kind, Index to, Ns nominal, Ns time);
  void end_job(Thread & thread);
  void sleep_in_run(Thread & thread, Ns time);
  void call(Thread & thread);
  void answer(Thread & caller);
  void publish(
    Index task, const Load & load, const takt_core::ActivationSet & activations, Ns arrived);
  void deliver(
    const Output & output, const Load & load, const takt_core::ActivationSet & works_for,
    Ns arrived);
  void send(const Output & output, const Load & load, Ns time);
  void announce(Index task, const takt_core::ActivationSet & works_for, Ns arrived);
  void note_end(Thread & thread);
  void conclude();
  Ns execution_time(Index task);
  Ns sleep_time(Index task);
  static void note(Responses & responses, Response response, Ns deadline);

  const SimulationModel & model_;
  const SimulationOptions & options_;
  const std::uint64_t number_;
  const Offsets offsets_;
  SimulationResult & result_;
  SimulationObserver * const observer_;

  Draw draw_;
  SimulatedGraph graph_;
  takt_rt::Faults faults_;
  Ns now_ = kStart;
  bool stopped_ = false;
  std::uint64_t sequence_ = 0;
  std::vector<KernelModel> kernels_;  // per host
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<std::shared_ptr<SimulatedCallback>> callbacks_;  // per task
  std::vector<std::unique_ptr<Border>> borders_;
  std::vector<Thread> threads_;  // the model's threads, then those outside of executors
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Load> under_way_;  // messages to other executors
  std::vector<std::size_t> free_places_;
  std::vector<Ns> last_release_;  // per task: a later release must not overtake it
  std::vector<std::vector<std::uint64_t>>
    cumulated_;  // per task: the cumulated counts of its histogram
  std::vector<std::uint64_t>
    begun_;                 // per task: runs that work; only with SimulationOptions::execution_time
  Load message_;            // the message that is passed on now
  std::vector<Load> kept_;  // per task: the message that waits for its set (Condition::spread)
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATION_RUN_HPP_
