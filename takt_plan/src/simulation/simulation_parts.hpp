// The parts of a run, for the sources of SimulationRun only.
#ifndef TAKT_PLAN__SRC__SIMULATION_PARTS_HPP_
#define TAKT_PLAN__SRC__SIMULATION_PARTS_HPP_

#include <array>

#include "simulation/simulation_run.hpp"

namespace takt_plan::detail
{

/// The scheduler's view of a task. What it does is the run's business.
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
};

/// An executor: its scheduler, which wakes threads through it.
struct SimulationRun::Host final : takt_core::Waker
{
  void wake(std::uint32_t thread) noexcept override;

  Index executor = kNone;
  takt_core::Order order = takt_core::Order::fifo;
  takt_core::WindowTimers window_timers = takt_core::WindowTimers::snapshot;
  std::vector<Index> members;  // the scheduler's threads, as the model numbers them
  bool jitter = false;         // some of its timers are released late
  std::vector<Thread> * threads = nullptr;
  std::unique_ptr<takt_core::Scheduler> scheduler;
};

/// A thread and what it is at.
struct SimulationRun::Thread
{
  enum class State : std::uint8_t
  {
    asleep,
    looking,  // has a core or waits for one, to look for work
    job,
    waiting  // a job's run sleeps, or has called another one and waits until that has ended
  };

  Host * host = nullptr;    // null: beside the executors
  std::uint32_t index = 0;  // within it
  KernelModel * kernel = nullptr;
  Index number = 0;      // the kernel's
  Index first_core = 0;  // the host's first, as the model numbers them
  KernelPolicy policy = KernelPolicy::fair;
  int priority = 0;
  int ceiling = 0;
  bool follow = false;
  Ns switch_cost = 0;
  std::uint64_t switches = 0;  // paid for

  State state = State::asleep;
  bool woken = false;
  bool idle = false;  // registered as such
  Ns wake_at = kUnbounded;
  Ns left = 0;  // of the switch, or of the job's stage

  // The job: dispatch, take, execution, publish.
  static constexpr std::size_t kStages = 4;
  takt_core::Run run;
  Load load;
  Index task = kNone;
  std::size_t stage = 0;
  std::array<Ns, kStages> stages{};
  bool slept = false;     // this run did
  std::size_t calls = 0;  // of this run, up to now
  int own_priority = 0;   // while it runs this job, ceilings apart

  // Beside the executors: one job each.
  Ns job_time = 0;
  std::uint64_t pending = 0;
};

inline void SimulationRun::Host::wake(std::uint32_t thread) noexcept
{
  if (thread < members.size()) {  // else the visitor's
    (*threads)[members[thread]].woken = true;
  }
}

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATION_PARTS_HPP_
