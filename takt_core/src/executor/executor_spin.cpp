// Starting the threads and waiting for their end.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "executor/executor_impl.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_core/futex.hpp"
#include "takt_core/memory_lock.hpp"
#include "takt_core/middleware_ceiling.hpp"
#include "takt_core/refusal.hpp"

namespace takt_core
{

namespace
{

// How often `wait` looks whether a callback that was removed from inside itself has ended. It costs
// that thread alone, and only until then.
constexpr Duration kReapPeriod = std::chrono::milliseconds(5);

// What the calling thread has; given back at the end, as far as `asked` changes it.
class CallerAttributes
{
public:
  explicit CallerAttributes(const ThreadAttributes & asked)
  : before_(read_attributes()),
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
    apply(before_);
    set_base_priority(base_);
    set_middleware_ceiling(ceiling_);
  }
  CallerAttributes(const CallerAttributes &) = delete;
  CallerAttributes & operator=(const CallerAttributes &) = delete;

private:
  ThreadAttributes before_;
  const OwnPriority base_;
  const int ceiling_;
};

}  // namespace

Faults Executor::Impl::create_threads(First first)
{
  gate.store(static_cast<std::uint32_t>(Gate::closed));
  arrived.store(0);
  const std::size_t count = options.threads.size();
  const std::uint32_t begin = first == First::caller ? 1 : 0;
  for (std::uint32_t t = begin; t < count; ++t) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    if (const std::size_t stack = options.threads[t].attributes.stack_size; stack != 0) {
      ::pthread_attr_setstacksize(
        &attributes, std::max<std::size_t>(stack, static_cast<std::size_t>(PTHREAD_STACK_MIN)));
    }
    struct Start
    {
      Impl * impl;
      std::uint32_t index;
    };
    auto * const start = new Start{this, t};
    const auto entry = [](void * argument) -> void * {
      const std::unique_ptr<Start> own(static_cast<Start *>(argument));
      own->impl->thread_main(own->index);
      return nullptr;
    };
    const int error = ::pthread_create(&threads[t].handle, &attributes, entry, start);
    ::pthread_attr_destroy(&attributes);
    if (error != 0) {
      delete start;
      gate.store(static_cast<std::uint32_t>(Gate::abandoned));
      futex_wake(gate, INT_MAX);
      join_threads(begin, t);
      return {
        options.name + ": cannot create thread " + options.threads[t].attributes.name + ": " +
        std::strerror(error)};
    }
  }
  if (first == First::caller) {
    // The name of a program's own thread is often the program's name, by which others find it.
    ThreadAttributes attributes = options.threads.front().attributes;
    attributes.name.clear();
    set_up_thread(0, attributes);
  }
  for (std::uint32_t here = arrived.load(); here < count; here = arrived.load()) {
    futex_wait(arrived, here);
  }
  return {};
}

void Executor::Impl::join_threads(std::size_t begin, std::size_t end)
{
  for (std::size_t t = begin; t < end; ++t) {
    ::pthread_join(threads[t].handle, nullptr);
  }
}

// What concerns no single thread: locked memory and the ceiling. A refused automatic ceiling is no
// fault: nobody asked for that priority, and the threads tell which rights are missing.
Faults Executor::Impl::ask_process_rights()
{
  Faults refused;
  if (options.lock_memory) {
    for (const Fault & fault : lock_memory().faults()) {
      refused.push_back(within(options.name, fault));
    }
  }
  const int asked = ceiling_to_ask(options.middleware_ceiling, options.threads);
  const bool granted = asked != 0 && may_use_realtime(asked);
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

Faults Executor::Impl::start_threads(First first, std::optional<Time> epoch)
{
  const bool must = options.missing_rights == MissingRights::fail;
  Faults faults = ask_process_rights();
  {
    std::lock_guard lock(told_mutex);
    refusals = faults;
  }
  if (!faults.empty()) {
    if (must) {
      return faults;
    }
    for (const auto & observer : observers) {
      observer->on_refusals(faults);
    }
  }
  faults = create_threads(first);
  if (!faults.empty()) {
    return faults;
  }
  std::vector<AttributeReport> told;
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    told.push_back(threads[t].report);
    for (const Fault & refused : told.back().faults) {
      if (must) {
        faults.push_back(
          within(options.name + ": thread " + options.threads[t].attributes.name, refused));
      }
    }
  }
  {
    std::lock_guard lock(told_mutex);
    reports = std::move(told);
  }
  const bool open = faults.empty();
  if (open) {
    scheduler.open(epoch.value_or(now()));
  }
  gate.store(static_cast<std::uint32_t>(open ? Gate::open : Gate::abandoned));
  futex_wake(gate, INT_MAX);
  if (!open) {
    join_threads(first == First::caller ? 1 : 0, options.threads.size());
  }
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

// Until the spin is over, or `joins` and it is cancelled.
void Executor::Impl::await(Ending & ending, bool joins)
{
  for (;;) {
    const std::uint32_t seen = events.load(std::memory_order_seq_cst);
    const bool look_again = scheduler.reap();
    if ((joins && cancelled()) || ending.over.load(std::memory_order_seq_cst)) {
      return;
    }
    futex_wait(events, seen, look_again ? now() + kReapPeriod : kNever);
  }
}

// Any number of callers: the first one that finds the spin cancelled joins the threads, the others
// wait for that.
SpinOutcome Executor::Impl::finish(Ending & ending)
{
  SpinOutcome outcome;
  {
    std::lock_guard lock(lifecycle);
    if (!ending.over.load(std::memory_order_seq_cst)) {
      join_threads(ending.caller_joins ? 1 : 0, options.threads.size());
      ending.exception = take_exception();
      current.reset();
      cancel.store(0);
      ending.over.store(true, std::memory_order_seq_cst);
      use.store(Use::none);
    }
    outcome.exception = ending.exception;
  }
  notify();  // the cancel they were woken by is withdrawn: let them see that it is over
  scheduler.reap();
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
  const CallerAttributes own(impl.options.threads.front().attributes);
  const auto started = impl.begin(Impl::First::caller, epoch);
  if (!started.ok()) {
    return {started.faults(), nullptr, false};
  }
  impl.run_thread(0);
  impl.threads.front().tid.store(0);
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
