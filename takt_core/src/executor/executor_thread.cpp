// The life of an executor thread: attributes, gate, then pick, take, run until cancelled.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "executor/executor_impl.hpp"
#include "scheduler/removal_wait.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_core/sequence.hpp"
#include "takt_core/wake_deferral.hpp"
#include "takt_rt/application/thread_name.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/memory_lock.hpp"

namespace takt_core
{

using takt_rt::futex_wait;
using takt_rt::futex_wake;
using takt_rt::now;
using takt_rt::prefault_stack;
using takt_rt::read_attributes;
using takt_rt::stack_to_prefault;

namespace
{

thread_local Executor * t_executor = nullptr;

// The bytes of its stack that a thread touches before it runs callbacks: enough for deep user
// callbacks. Of a larger stack, the rest is touched when it is used; a smaller one is touched
// entirely.
constexpr std::size_t kPrefaultedStack = 256 * 1024;

}  // namespace

Executor * current_executor() noexcept
{
  return t_executor;
}
const Run * current_run() noexcept
{
  const detail::RunFrame * const frame = detail::RunFrame::current();
  return frame == nullptr ? nullptr : &frame->run();
}

void Executor::Impl::thread_main(Crew & crew, std::uint32_t index)
{
  set_up_thread(crew, index, crew.options[index].attributes, waits_for_all(crew));
  const auto closed = static_cast<std::uint32_t>(Crew::Gate::closed);
  while (crew.gate.load(std::memory_order_seq_cst) == closed) {
    futex_wait(crew.gate, closed);
  }
  if (crew.gate.load() == static_cast<std::uint32_t>(Crew::Gate::open)) {
    run_thread(crew, index);
  }
  end_thread(crew, index);
  if (crew.isolated()) {
    crew.left.fetch_add(1, std::memory_order_seq_cst);
    notify();  // another thread may wait to join this one
  }
}

void Executor::Impl::set_up_thread(
  Crew & crew, std::uint32_t index, const ThreadAttributes & attributes, bool named)
{
  ExecutorThread & self = crew.threads[index];
  self.tid.store(static_cast<pid_t>(::syscall(SYS_gettid)));
  detail::RunFrame::prepare_thread();
  ThreadAttributes wanted = crew.isolated() ? filled_in(attributes, starter) : attributes;
  if (!named) {
    wanted.name.clear();
  }
  // An executor names its threads after itself, its schedule or a node: tools show the whole name.
  self.report = setter().apply(takt_rt::with_kept_name(wanted), 0);
  self.report.asked = attributes;
  if (options.lock_memory) {
    const Status status = prefault_stack(std::min(kPrefaultedStack, stack_to_prefault()));
    self.report.faults.insert(
      self.report.faults.end(), status.faults().begin(), status.faults().end());
  }
  const ThreadAttributes & granted = self.report.granted;
  self.has_programs_policy.store(attributes.policy == takt_rt::Policy::inherit && !attributes.nice);
  set_base_priority({granted.policy, granted.priority});
  set_middleware_ceiling(ceiling.load(std::memory_order_relaxed));
  {
    const std::lock_guard lock(self.there);
    self.at_end.reset();
    self.priority = &detail::own_thread_priority();
  }
  for (const auto & observer : observers) {
    observer->on_thread(crew.first + index, self.report);
  }
  if (!waits_for_all(crew)) {
    const std::lock_guard lock(told_mutex);
    crew.reports[index] = self.report;
  }
  crew.arrived.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(crew.arrived, 1);
}

// Ends the thread's record: afterwards no other thread changes this thread's attributes.
void Executor::Impl::end_thread(Crew & crew, std::uint32_t index)
{
  ExecutorThread & self = crew.threads[index];
  const std::lock_guard lock(self.there);
  self.at_end = read_attributes();
  self.priority = nullptr;
  self.tid.store(0);
}

void Executor::Impl::run_thread(Crew & crew, std::uint32_t index)
{
  // The caller of `spin_on_caller` may be inside a callback of another executor.
  Executor * const outer = std::exchange(t_executor, &owner);
  loop(crew, index);
  t_executor = outer;
}

void Executor::Impl::loop(Crew & crew, std::uint32_t index)
{
  Scheduler & scheduler = crew.scheduler;
  ExecutorThread & self = crew.threads[index];
  const bool follows = crew.options[index].follow;
  const std::uint32_t number = crew.first + index;
  Run run;
  Time end = kNever;  // of the last run
  const auto over = [&] { return cancelled() || crew.ending.load(std::memory_order_seq_cst); };
  // A direct call starts when the previous run ends. Observers need the time of that end, so one
  // reading of the clock serves both. Without observers, `next_follower` reads the clock only if it
  // needs it.
  const auto next = [&] {
    const Time ended = std::exchange(end, kNever);
    return ((ended != kNever || !observed()) && scheduler.next_follower(index, ended, &now, run)) ||
           scheduler.next(index, now(), run);
  };
  while (!over()) {
    crew.words.look(index);
    if (next()) {
      run.thread = number;
      if (follows) {
        // Two system calls per dispatch give the kernel's preemption between callbacks of one pool.
        const int wanted = scheduler.priority(*run.callback) + run.callback->raised();
        detail::follow(std::min(wanted, crew.options[index].attributes.priority));
      }
      end = run.callback->keeps_for_set() ? take_for_set(crew, run) : perform(crew, run);
      scheduler.complete(run);
      if (follows) {
        detail::unfollow();
      }
      continue;
    }
    if (self.has_programs_policy.load(std::memory_order_relaxed)) {
      follow_programs_policy(crew, index);
    }
    Time wake_at = kNever;
    if (!scheduler.begin_idle(index, now(), wake_at)) {
      continue;
    }
    if (!over()) {
      for (Observer * const observer : idle_observers) {
        observer->on_idle(number, now());
      }
      sleep(crew, index, wake_at);
      for (Observer * const observer : idle_observers) {
        observer->on_wake(number, now());
      }
    }
    self.wake.store(0, std::memory_order_seq_cst);
    scheduler.end_idle(index);
  }
  scheduler.leave(index);
}

// Sleeps until the thread is woken, or until the timers for which it waits are due. If a more
// urgent thread takes these timers over, their due time does not end this sleep.
void Executor::Impl::sleep(Crew & crew, std::uint32_t index, Time wake_at)
{
  std::atomic<std::uint32_t> & wake = crew.threads[index].wake;
  if (!crew.words.empty()) {
    // If another thread takes the timers over, this thread still wakes once when they are due, and
    // finds no work.
    SleepWords words(wake);
    if (crew.words.collect(index, words)) {
      words.sleep(wake_at);
    }
    crew.words.awake(index);
    return;
  }
  futex_wait(wake, 0, wake_at);
  if (
    wake_at != kNever && wake.load(std::memory_order_seq_cst) == 0 &&
    !crew.scheduler.attends_timers(index) && !cancelled()) {
    futex_wait(wake, 0);
  }
}

// Tells the scheduler the urgency that the program gave the thread. In rclcpp's pool the thread
// that the program made urgent waits for messages and timers most of the time, because it gets the
// pool's mutex before the others. Without this function, such a thread got 5 of 100 runs here.
void Executor::Impl::follow_programs_policy(Crew & crew, std::uint32_t index) noexcept
{
  ExecutorThread & self = crew.threads[index];
  const int urgency = takt_rt::own_urgency();
  if (
    urgency != self.urgency.load(std::memory_order_relaxed) &&
    crew.scheduler.try_set_urgency(index, urgency)) {
    self.urgency.store(urgency, std::memory_order_relaxed);
  }
}

Time Executor::Impl::execute(Crew & crew, Run & run) noexcept
{
  const Time end = run.callback->keeps_for_set() ? take_for_set(crew, run) : perform(crew, run);
  crew.scheduler.complete(run);
  return end;
}

// Takes a message for a set of messages (Condition::spread), and runs the callbacks of the set that
// it completes.
Time Executor::Impl::take_for_set(Crew & crew, Run & taker) noexcept
{
  Scheduler & scheduler = crew.scheduler;
  Time end = perform(crew, taker, Performs::take);
  Run run;
  while (scheduler.next_of_set(taker, now(), run)) {
    if (run.leaves_out) {
      scheduler.left_out(run);
      run.callback->leave_out(run);
    } else {
      end = perform(crew, run, Performs::kept);
    }
    scheduler.complete_of_set(taker, run);
  }
  return end;
}

// Runs the taker's inputs. Call after the taker's own take: if that take finds no message, the
// taker does not start.
void Executor::Impl::run_inputs(Crew & crew, const Run & taker) noexcept
{
  Scheduler & scheduler = crew.scheduler;
  scheduler.begin_inputs(taker);
  Run run;
  while (!cancelled() && scheduler.next_input(taker, now(), run)) {
    perform(crew, run, Performs::input);
    scheduler.complete_input(taker, run);
  }
}

// Takes the message and runs the user's function, and tells the observers. Observers see the runs
// of a thread one after the other. So they see the run of a taker of inputs begin after the runs of
// these inputs, and the taker's own take is not part of its costs.
Time Executor::Impl::perform(Crew & crew, Run & run, Performs what) noexcept
{
  Scheduler & scheduler = crew.scheduler;
  const bool takes_inputs = run.callback->takes_inputs();
  bool took = false;
  bool told = false;
  bool threw = false;
  bool known = false;
  detail::RunFrame frame(run);
  const auto picked = [&] {
    known = true;
    for (Observer * const observer : run_observers) {
      observer->on_picked(run);
    }
    if (!run_observers.empty()) {
      frame.picked();
    }
  };
  if (!takes_inputs) {
    picked();
  }
  try {
    const ActivationScope scope(run.activations);
    took = what == Performs::kept || run.callback->take(run);
    if (what != Performs::kept) {
      scheduler.taken(run);
    }
    told = true;
    std::optional<LogicalTimeScope> logical;
    if (LogicalTime * const group = run.callback->group().logical_time_.get();
        took && group != nullptr && run.callback->kind() == Kind::timer) {
      logical.emplace(logical_times, *group, run, scheduler.period(*run.callback));
    } else if (what != Performs::input && LogicalTime::current() != nullptr) {
      logical.emplace();
    }
    if (took && (run.leaves_out || (what == Performs::take && !scheduler.keep_for_set(run)))) {
      scheduler.left_out(run);
      run.callback->leave_out(run);
      took = false;
    } else if (what == Performs::take) {
      took = false;
    } else if (took && takes_inputs) {
      run_inputs(crew, run);
      run.start = now();
    }
    if (!known) {
      picked();
    }
    if (took) {
      const bool watched = observed();
      const Time start = watched ? now() : kNever;
      frame.started();  // an observer that begins to watch in mid-run gets all costs
      if (watched) {
        for (Observer * const observer : run_observers) {
          observer->on_start(run, start);
        }
      }
      // A visitor may not call `next` again, so no callback must wait until its run ends. A
      // following thread runs at its callback's priority. That may be below the priority of the
      // callbacks that this callback made ready, so these must not wait either.
      const bool comes_again = run.lane != scheduler.visitor() && !crew.options[run.lane].follow;
      const SequenceScope sequence(scheduler, run, comes_again);
      std::optional<WakeDeferral> deferral;
      if (run.callback->publishes_last() && comes_again) {
        deferral.emplace(scheduler, run.lane);
      }
      run.callback->run(run);
    }
  } catch (...) {
    if (!told) {
      scheduler.taken(run);
    }
    if (!known) {
      picked();
    }
    threw = true;
    failed(run);
  }
  if (!observed()) {
    return kNever;
  }
  const Time end = took ? now() : kNever;
  if (took) {
    frame.ended();
  }
  for (Observer * const observer : run_observers) {
    if (took) {
      observer->on_end(run, end);
    } else if (!threw) {
      observer->on_empty_take(run);
    }
  }
  return end;
}

void Executor::Impl::parked(const Callback & callback) noexcept
{
  for (Observer * const observer : parking_observers) {
    observer->on_parked(callback);
  }
}

// Call in a catch block.
void Executor::Impl::failed(const Run & run) noexcept
{
  exceptions.fetch_add(1, std::memory_order_relaxed);
  const std::exception_ptr current = std::current_exception();
  for (const auto & observer : observers) {
    observer->on_exception(run, current);
  }
  if (options.on_exception == ExceptionPolicy::stop) {
    {
      std::lock_guard lock(told_mutex);
      if (exception == nullptr) {
        exception = current;
      }
    }
    owner.cancel();
  }
}

}  // namespace takt_core
