// Starts the threads and waits for their end.
#include <algorithm>
#include <cerrno>

#include "executor/executor_impl.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_rt/futex.hpp"
#include "takt_rt/memory_lock.hpp"
#include "takt_rt/refusal.hpp"

namespace takt_core
{

using takt_rt::Fault;
using takt_rt::futex_wait;
using takt_rt::futex_wake;
using takt_rt::lock_memory;
using takt_rt::now;
using takt_rt::Policy;
using takt_rt::read_attributes;
using takt_rt::RefusedAttribute;

namespace
{

// The period at which `wait` checks whether a callback that was removed from inside itself has
// ended. The check costs only the waiting thread, and only until the callback's end.
constexpr Duration kReapPeriod = std::chrono::milliseconds(5);

// Saves the caller's attributes. The destructor restores those that `asked` changed, unless the
// program has changed them since.
class CallerAttributes
{
public:
  /// `thread`: the caller's record as an executor thread.
  CallerAttributes(const ThreadAttributes & asked, const ExecutorThread & thread)
  : thread_(thread),
    before_(read_attributes()),
    base_(base_priority()),
    ceiling_(own_middleware_ceiling())
  {
    before_.name.clear();
    if (asked.cores.empty()) {
      before_.cores.clear();
    }
    if (asked.policy == Policy::inherit && !asked.nice) {
      before_.policy = Policy::inherit;
      before_.priority = 0;
      before_.nice.reset();
    }
  }
  ~CallerAttributes()
  {
    if (thread_.at_end) {
      const ThreadAttributes & now = *thread_.at_end;
      ThreadAttributes takts = thread_.report.granted;
      if (now.cores != takts.cores) {
        before_.cores.clear();
      }
      takts.cores = now.cores;
      if (!same_scheduling(now, takts)) {
        before_.policy = Policy::inherit;
        before_.priority = 0;
        before_.nice.reset();
      }
    }
    apply(before_);
    set_base_priority(base_);
    set_middleware_ceiling(ceiling_);
  }
  CallerAttributes(const CallerAttributes &) = delete;
  CallerAttributes & operator=(const CallerAttributes &) = delete;

private:
  const ExecutorThread & thread_;
  ThreadAttributes before_;
  const OwnPriority base_;
  const int ceiling_;
};

}  // namespace

// Requests the rights of the process: locked memory and the ceiling. A refused automatic ceiling is
// not a fault: the user did not request that priority, and the threads' reports name the missing
// rights.
Faults Executor::Impl::ask_process_rights()
{
  Faults refused;
  if (options.lock_memory) {
    for (const Fault & fault : lock_memory().faults()) {
      refused.push_back(within(options.name, fault));
    }
  }
  const int asked =
    ceiling_to_ask(options.middleware_ceiling, main.options, options.isolated_attributes);
  const bool granted = asked != 0 && setter().allow_realtime(asked);
  ceiling.store(granted ? asked : 0, std::memory_order_relaxed);
  if (!granted && options.middleware_ceiling.mode == MiddlewareCeiling::Mode::fixed) {
    ThreadAttributes attributes;
    attributes.policy = Policy::fifo;
    attributes.priority = asked;
    refused.push_back(within(
      options.name + ": middleware ceiling",
      make_refusal(RefusedAttribute::policy, attributes, EPERM, 0)));
  }
  return refused;
}

Faults Executor::Impl::start_threads(First first, std::optional<Time> asked_epoch)
{
  const bool must = options.missing_rights == MissingRights::fail;
  const std::lock_guard set_up(setup);
  const std::lock_guard lock(crews_mutex);
  starter = read_attributes();
  Faults faults = ask_process_rights();
  {
    const std::lock_guard told(told_mutex);
    refusals = faults;
  }
  if (!faults.empty()) {
    if (must) {
      return faults;
    }
    for (const auto & observer : observers) {
      observer->on_refusals(faults);
    }
    faults.clear();
  }
  // If a thread cannot be created, the threads that were created before are joined below.
  const std::uint32_t begin = first == First::caller ? 1 : 0;
  std::vector<Crew *> created;
  for_each_crew([&](Crew & crew) {
    if (faults.empty() && (&crew == &main || crew.group != nullptr)) {
      if (!waits_for_all(crew)) {
        expect_reports(crew);
      }
      faults = create_threads(crew, &crew == &main ? begin : 0);
      if (faults.empty()) {
        created.push_back(&crew);
      }
    }
  });
  if (faults.empty() && first == First::caller) {
    // Keep the caller's thread name: it is often the program's name, by which tools find the
    // program.
    ThreadAttributes attributes = main.options.front().attributes;
    attributes.name.clear();
    set_up_thread(main, 0, attributes, true);
  }
  for (Crew * const crew : created) {
    if (faults.empty() && waits_for_all(*crew)) {
      await_arrival(*crew);
    }
  }
  if (faults.empty()) {
    for (Crew * const crew : created) {
      if (waits_for_all(*crew)) {
        const Faults refused = collect_reports(*crew);
        faults.insert(faults.end(), refused.begin(), refused.end());
      }
    }
  }
  const bool open = faults.empty();
  epoch = asked_epoch.value_or(now());
  if (open && phases != nullptr) {
    phases->begin(epoch, Phases::Begins::again);
  }
  for (Crew * const crew : created) {
    if (open) {
      crew->scheduler.open(epoch);
      crew->staffed = crew->isolated();
    }
  }
  for (Crew * const crew : created) {
    open_gate(*crew, open ? Crew::Gate::open : Crew::Gate::abandoned);
  }
  for (Crew * const crew : created) {
    if (!open) {
      join_threads(*crew, crew == &main ? begin : 0);
    }
  }
  if (!open && first == First::caller) {
    end_thread(main, 0);
  }
  running = open;
  return faults;
}

Result<std::shared_ptr<Executor::Impl::Ending>> Executor::Impl::begin(
  First first, std::optional<Time> epoch)
{
  Use none = Use::none;
  if (!use.compare_exchange_strong(none, Use::threads)) {
    return Faults{options.name + ": already spinning"};
  }
  std::lock_guard lock(lifecycle);
  const auto ending = std::make_shared<Ending>();
  ending->caller_joins = first == First::caller;
  Faults faults = start_threads(first, epoch);
  if (!faults.empty()) {
    use.store(Use::none);
    return faults;
  }
  current = ending;
  return ending;
}

// Waits until the spin is over, or, if `joins`, until it is cancelled.
void Executor::Impl::await(Ending & ending, bool joins)
{
  for (;;) {
    const std::uint32_t seen = events.load(std::memory_order_seq_cst);
    const bool look_again = reap();
    if ((joins && cancelled()) || ending.over.load(std::memory_order_seq_cst)) {
      return;
    }
    futex_wait(events, seen, look_again ? now() + kReapPeriod : kNever);
  }
}

// Joins all threads. From now on only this function joins the isolated crews' threads.
void Executor::Impl::join_all(std::uint32_t begin)
{
  std::vector<Crew *> isolated;
  {
    const std::lock_guard lock(crews_mutex);
    running = false;
    for (Crew * crew = crews.load(std::memory_order_acquire); crew != nullptr; crew = crew->next) {
      if (crew->staffed) {
        crew->joining = true;
        isolated.push_back(crew);
      }
    }
  }
  join_threads(main, begin);
  for (Crew * const crew : isolated) {
    join_threads(*crew, 0);
  }
  const std::lock_guard lock(crews_mutex);
  for (Crew * const crew : isolated) {
    crew->joining = false;
    crew->staffed = false;
    crew->ending.store(false);
  }
}

// Ends a spin. Any number of threads may call it: the first one joins the executor's threads, the
// others wait for the first.
SpinOutcome Executor::Impl::finish(Ending & ending)
{
  SpinOutcome outcome;
  {
    std::lock_guard lock(lifecycle);
    if (!ending.over.load(std::memory_order_seq_cst)) {
      join_all(ending.caller_joins ? 1 : 0);
      ending.exception = take_exception();
      current.reset();
      cancel.store(0);
      ending.over.store(true, std::memory_order_seq_cst);
      use.store(Use::none);
    }
    outcome.exception = ending.exception;
  }
  notify();  // `cancel` is 0 again: wake the threads in `await`, which see the end
  reap();
  return outcome;
}

Status Executor::start(std::optional<Time> epoch)
{
  return impl_->begin(Impl::First::created, epoch).faults();
}

SpinOutcome Executor::wait()
{
  Impl & impl = *impl_;
  if (current_executor() == this) {
    return {
      {impl.options.name + ": a callback cannot wait for its own executor to end"}, nullptr, false};
  }
  std::shared_ptr<Impl::Ending> ending;
  {
    std::lock_guard lock(impl.lifecycle);
    ending = impl.current;
  }
  if (ending == nullptr) {
    return {{impl.options.name + ": not started"}, nullptr, false};
  }
  impl.await(*ending, !ending->caller_joins);
  return impl.finish(*ending);
}

SpinOutcome Executor::spin(std::optional<Time> epoch)
{
  const auto started = impl_->begin(Impl::First::created, epoch);
  if (!started.ok()) {
    return {started.faults(), nullptr, false};
  }
  impl_->await(**started, true);
  return impl_->finish(**started);
}

SpinOutcome Executor::spin_on_caller(std::optional<Time> epoch)
{
  Impl & impl = *impl_;
  const CallerAttributes own(impl.main.options.front().attributes, impl.main.threads[0]);
  const auto started = impl.begin(Impl::First::caller, epoch);
  if (!started.ok()) {
    return {started.faults(), nullptr, false};
  }
  impl.run_thread(impl.main, 0);
  impl.end_thread(impl.main, 0);
  return impl.finish(**started);
}

void Executor::Impl::notify() noexcept
{
  events.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(events, INT_MAX);
}

std::exception_ptr Executor::Impl::take_exception()
{
  std::lock_guard lock(told_mutex);
  return std::exchange(exception, nullptr);
}

}  // namespace takt_core
