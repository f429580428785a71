// The parts of a run. Only source files of SimulationRun include it.
#ifndef TAKT_PLAN__SRC__SIMULATION_PARTS_HPP_
#define TAKT_PLAN__SRC__SIMULATION_PARTS_HPP_

#include <array>
#include <optional>

#include "simulation/simulation_run.hpp"

namespace takt_plan::detail
{

/// The scheduler's view of a task. SimulationRun does the task's work.
class SimulationRun::SimulatedCallback final : public takt_core::Callback
{
public:
  SimulatedCallback(takt_core::CallbackOptions options, Index task)
  : Callback(std::move(options)),
    task(task)
  {
  }
  void run(const takt_core::Run &) override {}

  const Index task;
  Host * host = nullptr;
  Border * border = nullptr;  // of a timer with logical execution time, and of its publisher
  bool publisher = false;     // publishes at the border, and is no task
};

/// The messages of a group with logical execution time (takt_core/logical_time.hpp).
struct SimulationRun::Border
{
  /// A message that a run published.
  struct Held
  {
    Ns due = 0;
    Index task = kNone;
    Load load;
    takt_core::ActivationSet activations;
  };

  Index timer = kNone;
  Host * host = nullptr;
  takt_core::LateOutputs late = takt_core::LateOutputs::publish;
  std::shared_ptr<SimulatedCallback> publisher;
  Ns due = 0;               // of the run that has begun
  std::vector<Held> held;   // of that run
  std::vector<Held> waits;  // for their borders, which rise
  Ns next = kUnbounded;     // when the publisher runs; kUnbounded: it waits for messages
};

/// An executor: its scheduler, and the waker of that scheduler.
struct SimulationRun::Host final : takt_core::Waker
{
  void wake(std::uint32_t thread) noexcept override;

  Index executor = kNone;
  takt_core::Order order = takt_core::Order::fifo;
  takt_core::WindowTimers window_timers = takt_core::WindowTimers::snapshot;
  std::vector<Index> members;  // the model's numbers of the scheduler's threads
  bool jitter = false;         // some of its timers have jitter
  std::vector<Thread> * threads = nullptr;
  std::unique_ptr<takt_core::Scheduler> scheduler;
};

/// A thread and its present activity.
struct SimulationRun::Thread
{
  enum class State : std::uint8_t
  {
    asleep,
    looking,  // has a core, or waits for one, to look for work
    job,
    waiting  // the job's run sleeps, or waits for the end of a run that it called
  };

  Host * host = nullptr;    // null: a thread outside of executors
  std::uint32_t index = 0;  // in its host
  KernelModel * kernel = nullptr;
  Index number = 0;      // in the kernel model
  Index first_core = 0;  // the host's first core in the model
  KernelPolicy policy = KernelPolicy::fair;
  int priority = 0;
  int ceiling = 0;
  bool follow = false;
  Ns switch_cost = 0;
  std::uint64_t switches = 0;  // switches whose cost has been counted

  State state = State::asleep;
  bool woken = false;
  bool idle = false;  // registered as idle
  Ns wake_at = kUnbounded;
  Ns left = 0;  // of the switch, or of the job's present stage

  // The job's stages: dispatch, take, execution, publish.
  static constexpr std::size_t kStages = 4;
  static constexpr std::size_t kWork = 2;
  takt_core::Run run;
  Load load;
  Index task = kNone;
  std::size_t stage = 0;
  std::array<Ns, kStages> stages{};
  bool inputs_left = false;   // the job is that of a taker whose inputs have not all run
  bool inputs_begun = false;  // some may have
  /// The taker's job while an input of it runs.
  struct Taker
  {
    takt_core::Run run;
    Load load;
    Index task = kNone;
    std::array<Ns, kStages> stages{};
  };
  std::optional<Taker> taker;
  bool keeps = false;  // the job takes a message for a set (Condition::spread)
  /// The run that took the last message of a set, until the set's callbacks have run.
  std::optional<takt_core::Run> set;
  bool publishes = false;  // the job is that of a border
  Ns until = 0;            // of such a job: it publishes the messages that are due by then
  Ns more = 0;             // of the job's dispatch: messages of borders that it publishes
  bool slept = false;      // this run has slept
  std::size_t calls = 0;   // of this run, so far
  int own_priority = 0;    // during this job, without ceilings

  // For threads outside of executors, which have one job each.
  Ns job_time = 0;
  std::uint64_t pending = 0;
};

inline void SimulationRun::Host::wake(std::uint32_t thread) noexcept
{
  if (thread < members.size()) {  // other numbers are those of the visitor
    (*threads)[members[thread]].woken = true;
  }
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATION_PARTS_HPP_
