// Time in a run, and the work of its threads.
#include "simulation/simulation_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/printed.hpp"
#include "simulation/simulation_limits.hpp"
#include "simulation/simulation_parts.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

// Limit of rounds at one instant. Only callbacks that take no time and start each other in a circle
// need many rounds.
constexpr int kMostTurns = 1'000'000;
constexpr std::uint64_t kInstantsToTell = 10'000;  // between two calls of `progress`

// After the end of releases, runs may go on for this many times the duration. A reservation that is
// used up by the switch to its thread never ends.
constexpr Ns kPatience = 10;

}  // namespace

void SimulationRun::run()
{
  schedule_first_releases();
  for (const auto & host : hosts_) {
    host->scheduler->open(takt_rt::from_ns(0));
  }
  instant();
  const Ns latest = add(options_.duration, multiply(kPatience, options_.duration));
  const std::uint64_t most = result_.jobs + most_jobs(model_, options_);
  for (Ns next = next_instant(); next != kUnbounded; next = next_instant()) {
    if (result_.jobs > most) {
      faults_.push_back(
        "callbacks have run " + std::to_string(most) + " times before " + printed(now_) +
        " were over, and more wait: messages multiply from callback to callback; shorten the "
        "duration, or simulate less of the system");
      return;
    }
    if (!stopped_ && next >= options_.duration) {
      stop_releases();
      continue;
    }
    if (next > latest) {
      break;
    }
    advance(next);
    instant();
  }
  if (next_instant() == kUnbounded) {
    report_endless_waits();
  }
  conclude();
}

// Reports runs that still wait when no further event is left.
void SimulationRun::report_endless_waits()
{
  for (const Thread & thread : threads_) {
    if (thread.state != Thread::State::waiting) {
      continue;
    }
    const Task & task = model_.model.tasks[thread.task];
    const Task & other = model_.model.tasks[task.waits_for[thread.calls - 1]];
    faults_.push_back(
      takt_schedule::quoted(task.id) + " waits for " + takt_schedule::quoted(other.id) +
      " and never goes on: no thread is left that would run " + takt_schedule::quoted(other.id) +
      "; put them on different threads");
    return;
  }
}

void SimulationRun::stop_releases()
{
  stopped_ = true;
  graph_.end_releases();
  for (const auto & callback : callbacks_) {
    stop_timer(*callback);
  }
}

// Stops the timer if its next release is not before the end of the duration. Earlier releases, also
// missed ones, still run.
void SimulationRun::stop_timer(SimulatedCallback & callback)
{
  takt_core::Scheduler & scheduler = *callback.host->scheduler;
  if (
    callback.kind() == takt_core::Kind::timer &&
    scheduler.next_release(callback) >= takt_rt::from_ns(options_.duration)) {
    scheduler.cancel_timer(callback);
  }
}

Ns SimulationRun::next_instant() const
{
  Ns next = events_.empty() ? kUnbounded : events_.top().time;
  for (const KernelModel & kernel : kernels_) {
    next = std::min(next, kernel.next_change());
  }
  for (const Thread & thread : threads_) {
    if (thread.state == Thread::State::asleep) {
      next = std::min(next, thread.wake_at);
    } else if (thread.kernel->core_of(thread.number) != kNone) {
      next = std::min(next, now_ + thread.left);
    }
  }
  return next;
}

void SimulationRun::advance(Ns to)
{
  const Ns passed = to - now_;
  for (Index i = 0; i < threads_.size(); ++i) {
    Thread & thread = threads_[i];
    const Index core = thread.kernel->core_of(thread.number);
    if (core == kNone) {
      continue;
    }
    thread.left -= passed;
    result_.busy[thread.first_core + core] += now_ < 0 ? 0 : passed;
    if (observer_ != nullptr && now_ >= 0) {
      const Activity activity = thread.state != Thread::State::job ? Activity::switching
                                : thread.host == nullptr           ? Activity::other
                                                                   : Activity::job;
      observer_->on_work(
        thread.first_core + core, i, activity, activity == Activity::job ? thread.task : kNone,
        now_, to);
    }
  }
  for (KernelModel & kernel : kernels_) {
    kernel.advance(to);
  }
  now_ = to;
}

void SimulationRun::instant()
{
  ++result_.instants;
  if (options_.progress && result_.instants % kInstantsToTell == 0) {
    options_.progress(number_, now_);
  }
  while (!events_.empty() && events_.top().time <= now_) {
    const Event event = events_.top();
    events_.pop();
    arrive(event);
  }
  bool goes_on = true;
  for (int round = 0; goes_on; ++round) {
    if (round == kMostTurns) {
      throw std::logic_error("simulation: time stands still");
    }
    goes_on = end_stages();
    wake_threads();  // so that a more urgent thread preempts before the ended one looks for work
    goes_on = settle() || goes_on;
    goes_on = look() || goes_on;
  }
}

// Ends the stages of threads on cores. Returns true if there was one.
bool SimulationRun::end_stages()
{
  bool any = false;
  for (Thread & thread : threads_) {
    while (thread.state == Thread::State::job && thread.left == 0 &&
           thread.kernel->core_of(thread.number) != kNone) {
      end_stage(thread);
      any = true;
    }
  }
  return any;
}

// Threads that had a core look for work before threads that just got one.
bool SimulationRun::look()
{
  bool any = false;
  for (const bool woken : {false, true}) {
    for (Thread & thread : threads_) {
      if (
        thread.state == Thread::State::looking && thread.left == 0 && thread.idle == woken &&
        thread.kernel->core_of(thread.number) != kNone) {
        find_work(thread);
        any = true;
      }
    }
  }
  return any;
}

void SimulationRun::wake_threads()
{
  for (Thread & thread : threads_) {
    if (thread.state == Thread::State::asleep && (thread.woken || thread.wake_at <= now_)) {
      thread.state = Thread::State::looking;
      thread.left = 0;
      thread.wake_at = kUnbounded;
      thread.kernel->wake(thread.number);
    }
  }
}

bool SimulationRun::settle()
{
  bool changed = false;
  for (KernelModel & kernel : kernels_) {
    changed = kernel.settle() || changed;
  }
  if (changed) {
    for (Thread & thread : threads_) {
      if (const auto switches = thread.kernel->switches(thread.number);
          switches != thread.switches) {
        thread.left +=
          now_ < 0 ? 0 : static_cast<Ns>(switches - thread.switches) * thread.switch_cost;
        thread.switches = switches;
      }
    }
  }
  return changed;
}

void SimulationRun::find_work(Thread & thread)
{
  if (thread.host == nullptr) {
    thread.woken = false;
    if (thread.pending == 0) {
      sleep(thread);
      return;
    }
    thread.state = Thread::State::job;
    thread.left = thread.job_time;
    return;
  }
  if (thread.taker) {
    go_on_with_taker(thread);
    return;
  }
  if (thread.set && next_of_set(thread)) {
    return;
  }
  takt_core::Scheduler & scheduler = *thread.host->scheduler;
  const takt_rt::Time now = takt_rt::from_ns(now_);
  if (thread.idle) {
    scheduler.end_idle(thread.index);
    thread.idle = false;
  }
  for (;;) {
    thread.woken = false;
    if (scheduler.next(thread.index, now, thread.run)) {
      if (start(thread)) {
        return;
      }
      continue;
    }
    takt_rt::Time wake_at = takt_rt::kNever;
    if (scheduler.begin_idle(thread.index, now, wake_at)) {
      thread.idle = true;
      thread.wake_at = wake_at == takt_rt::kNever ? kUnbounded : takt_rt::to_ns(wake_at);
      if (thread.host->jitter && thread.wake_at != kUnbounded) {
        thread.wake_at = late_wake(thread);
      }
      sleep(thread);
      return;
    }
  }
}

void SimulationRun::sleep(Thread & thread)
{
  thread.state = Thread::State::asleep;
  thread.kernel->block(thread.number);
}

bool SimulationRun::serves(const Thread & thread, const SimulatedCallback & callback) const
{
  const std::vector<Index> & threads = model_.model.tasks[callback.task].threads;
  const auto index = static_cast<Index>(&thread - threads_.data());
  return std::find(threads.begin(), threads.end(), index) != threads.end();
}

// The time at which the thread wakes for its timers: that of the earliest release, with its jitter.
// Timers that are due by then are released with it.
Ns SimulationRun::late_wake(Thread & thread)
{
  Ns first = kUnbounded;
  for (const auto & callback : callbacks_) {
    if (callback->kind() == takt_core::Kind::timer && serves(thread, *callback)) {
      const Ns due = takt_rt::to_ns(thread.host->scheduler->next_release(*callback));
      if (due >= thread.wake_at && due < first) {
        first = std::min(first, due + jitter(callback->task, due));
      }
    }
  }
  first = late_border(thread, first);
  return first == kUnbounded ? thread.wake_at : first;
}

// A timer continues while another thread of its set sleeps, late for other timers. It must not be
// later than its own jitter allows, so this wakes that thread earlier. Threads that cannot run the
// timer sleep on: a wake-up without work would cost switches that no overhead counts.
void SimulationRun::hasten(const SimulatedCallback & timer)
{
  const Ns due = takt_rt::to_ns(timer.host->scheduler->next_release(timer));
  for (const Index index : model_.model.tasks[timer.task].threads) {
    Thread & thread = threads_[index];
    if (
      thread.state == Thread::State::asleep && thread.wake_at != kUnbounded &&
      thread.wake_at > due) {
      thread.wake_at = std::min(thread.wake_at, std::max(now_, due + jitter(timer.task, due)));
    }
  }
}

// False: there was no message to take.
bool SimulationRun::start(Thread & thread)
{
  takt_core::Scheduler & scheduler = *thread.host->scheduler;
  auto & callback = static_cast<SimulatedCallback &>(*thread.run.callback);
  const Index task = callback.task;
  thread.publishes = callback.publisher;
  if (callback.publisher) {
    return start_border(thread);
  }
  if (stopped_) {
    stop_timer(callback);
  }
  begin_period(thread);
  if (!graph_.take(task, takt_rt::to_ns(thread.run.release), thread.load)) {
    scheduler.taken(thread.run);
    scheduler.complete(thread.run);
    return false;
  }
  thread.keeps = callback.keeps_for_set();
  if (thread.keeps) {
    keep(thread);
  }
  scheduler.taken(thread.run);
  if (thread.host->jitter && callback.kind() == takt_core::Kind::timer) {
    hasten(callback);
  }
  for (const Progress & progress : thread.load.progress) {
    result_.chains[graph_.chain(progress.step)].released += graph_.begins(progress.step) ? 1 : 0;
  }
  result_.tasks[task].skipped += thread.run.skipped;
  thread.state = Thread::State::job;
  thread.own_priority = thread.priority;
  if (thread.follow) {
    thread.own_priority = std::clamp(scheduler.priority(*thread.run.callback), 1, thread.priority);
  }
  thread.inputs_left = callback.takes_inputs() && !thread.keeps;
  thread.inputs_begun = false;
  set_up_job(thread);
  thread.stages.front() += thread.more;
  thread.left = 0;
  begin_stage(thread);
  return true;
}

// The stages of the thread's run, from the first one on.
void SimulationRun::set_up_job(Thread & thread)
{
  const Index task = static_cast<const SimulatedCallback &>(*thread.run.callback).task;
  const SimulatedTask & simulated = model_.tasks[task];
  const bool works = thread.load.works;
  thread.task = task;
  thread.stage = 0;
  thread.calls = 0;
  thread.slept = false;
  thread.stages = {
    simulated.dispatch, simulated.take, works ? execution_time(task) : 0,
    works ? simulated.publish : 0};
}

// Take and publish run at the ceiling. Stages that take no time are omitted. Between its take and
// its work a taker runs its inputs.
void SimulationRun::begin_stage(Thread & thread)
{
  for (;;) {
    const bool at_work = thread.stage == Thread::kWork && thread.inputs_left && !thread.taker;
    if (at_work && next_input(thread)) {
      continue;
    }
    if (thread.stage >= Thread::kStages || thread.stages[thread.stage] != 0) {
      break;
    }
    ++thread.stage;
  }
  if (thread.stage >= Thread::kStages) {
    return;
  }
  thread.left += thread.stages[thread.stage];
  const bool raised = thread.stage % 2 == 1 && thread.ceiling > thread.own_priority &&
                      thread.policy != KernelPolicy::deadline;
  if (raised) {
    thread.kernel->set_priority(thread.number, KernelPolicy::fifo, thread.ceiling);
  } else if (thread.ceiling != 0 || thread.follow) {
    thread.kernel->set_priority(thread.number, thread.policy, thread.own_priority);
  }
}

// The thread leaves its core within a run.
void SimulationRun::leave_core(Thread & thread)
{
  if (thread.ceiling != 0) {
    thread.kernel->set_priority(thread.number, thread.policy, thread.own_priority);
  }
  thread.state = Thread::State::waiting;
  thread.kernel->block(thread.number);
}

void SimulationRun::end_stage(Thread & thread)
{
  if (thread.host == nullptr) {
    if (--thread.pending == 0) {
      sleep(thread);
    } else {
      thread.left = thread.job_time;
    }
    return;
  }
  ++thread.stage;
  begin_stage(thread);
  if (thread.stage < Thread::kStages) {
    return;
  }
  if (thread.load.works && !thread.slept) {
    thread.slept = true;
    if (const Ns time = sleep_time(thread.task); time > 0) {
      leave_core(thread);
      sleep_in_run(thread, time);
      return;
    }
  }
  if (thread.load.works && thread.calls < graph_.calls(thread.task).size()) {
    leave_core(thread);
    call(thread);
    return;
  }
  end_job(thread);
  if (thread.ceiling != 0 || thread.follow) {
    const int priority = thread.taker ? thread.own_priority : thread.priority;
    thread.kernel->set_priority(thread.number, thread.policy, priority);
  }
  thread.state = Thread::State::looking;  // after an input: for its taker
}

}  // namespace takt_plan::detail
