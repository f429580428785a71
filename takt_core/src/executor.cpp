#include "takt_core/executor.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <thread>

#include "executor_impl.hpp"
#include "takt_core/futex.hpp"
#include "takt_core/memory_lock.hpp"

namespace takt_core
{

namespace
{

SchedulerOptions scheduler_options(const ExecutorOptions & options)
{
  SchedulerOptions result;
  result.order = options.order;
  result.window_timers = options.window_timers;
  for (const ExecutorThreadOptions & thread : options.threads) {
    result.thread_urgencies.push_back(urgency(thread.attributes));
  }
  return result;
}

ExecutorOptions with_defaults(ExecutorOptions options)
{
  if (options.threads.empty()) {
    options.threads.push_back({read_attributes(), false});
    options.threads.front().attributes.cores.clear();
    options.threads.front().attributes.name = options.name;
  }
  for (std::size_t t = 0; t < options.threads.size(); ++t) {
    std::string & name = options.threads[t].attributes.name;
    if (name.empty()) {
      name = options.name + "." + std::to_string(t);
    }
  }
  return options;
}

}  // namespace

Faults validate(const ExecutorOptions & options)
{
  Faults faults;
  if (options.threads.size() > Scheduler::kMaxThreads) {
    faults.push_back(
      options.name + ": " + std::to_string(options.threads.size()) +
      " threads are more than the 63 an executor can have");
  }
  for (const ExecutorThreadOptions & thread : options.threads) {
    for (const std::string & fault : validate(thread.attributes)) {
      faults.push_back(options.name + ": " + fault);
    }
    if (thread.follow && thread.attributes.policy != Policy::fifo) {
      faults.push_back(
        options.name + ": thread " + thread.attributes.name +
        " follows its callbacks' priorities, which needs policy fifo");
    }
  }
  const MiddlewareCeiling & ceiling = options.middleware_ceiling;
  if (
    ceiling.mode == MiddlewareCeiling::Mode::fixed &&
    (ceiling.priority < 1 || ceiling.priority > 99)) {
    faults.push_back(
      options.name + ": middleware ceiling " + std::to_string(ceiling.priority) +
      " is out of range; use 1 to 99");
  }
  return faults;
}

Executor::Impl::Impl(ExecutorOptions o, Executor & owner)
: owner(owner),
  options(with_defaults(std::move(o))),
  threads(options.threads.size() + 1),
  scheduler(scheduler_options(options), *this)
{
  const int first = urgency(options.threads.front().attributes);
  for (const ExecutorThreadOptions & thread : options.threads) {
    uniform = uniform && !thread.follow && urgency(thread.attributes) == first;
  }
}

// `automatic`: one above the most urgent thread if threads differ in OS priority and one of them is
// a real-time thread. Nice levels alone set no ceiling: where they are used, real-time rights are
// what is missing.
int Executor::Impl::effective_ceiling() const
{
  const MiddlewareCeiling & asked = options.middleware_ceiling;
  if (asked.mode == MiddlewareCeiling::Mode::fixed) {
    return may_use_realtime(asked.priority) ? asked.priority : 0;
  }
  if (asked.mode == MiddlewareCeiling::Mode::off || uniform) {
    return 0;
  }
  int highest = 0;
  for (const ExecutorThreadOptions & thread : options.threads) {
    if (has_rt_priority(thread.attributes.policy)) {
      highest = std::max(highest, thread.attributes.priority);
    }
  }
  const int ceiling = std::min(highest + 1, 99);
  return highest > 0 && may_use_realtime(ceiling) ? ceiling : 0;
}

Result<std::unique_ptr<Executor>> Executor::create(ExecutorOptions options)
{
  Faults faults = validate(options);
  if (!faults.empty()) {
    return faults;
  }
  return std::unique_ptr<Executor>(new Executor(std::move(options)));
}

Executor::Executor(ExecutorOptions options)
: impl_(std::make_unique<Impl>(std::move(options), *this))
{
}

Executor::~Executor()
{
  if (impl_->use.load() == Impl::Use::threads) {
    cancel();
    wait();
  }
}

const ExecutorOptions & Executor::options() const noexcept
{
  return impl_->options;
}
Scheduler & Executor::scheduler() noexcept
{
  return impl_->scheduler;
}
const Scheduler & Executor::scheduler() const noexcept
{
  return impl_->scheduler;
}

Status Executor::add(std::shared_ptr<Callback> callback, const Binding & binding)
{
  std::lock_guard lock(impl_->setup);
  const int priority = impl_->expected_priority(callback->id(), binding);
  Faults faults = impl_->check_following(*callback, binding.threads, priority);
  const Faults group = impl_->check_group(*callback, binding.threads, priority);
  faults.insert(faults.end(), group.begin(), group.end());
  if (!faults.empty()) {
    return faults;
  }
  Callback & added = *callback;
  Status status = impl_->scheduler.add(std::move(callback), binding, now());
  if (status.ok()) {
    impl_->members[&added.group()].push_back(&added);
    for (const auto & observer : impl_->observers) {
      observer->on_added(added);
    }
  }
  return status;
}

void Executor::remove(Callback & callback)
{
  {
    std::lock_guard lock(impl_->setup);
    const auto group = impl_->members.find(&callback.group());
    if (group == impl_->members.end() || std::erase(group->second, &callback) == 0) {
      return;
    }
    if (group->second.empty()) {
      impl_->across_priorities.erase(group->first);
      impl_->members.erase(group);
    }
    for (const auto & observer : impl_->observers) {
      observer->on_removed(callback);
    }
    impl_->scheduler.remove(callback);
  }
  const Run * const own = current_run();
  while (impl_->scheduler.running(callback)) {
    if (own != nullptr && own->callback == &callback) {
      return;  // from inside itself; the scheduler keeps it alive until this run is over
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

Status Executor::bind(Callback & callback, ThreadMask threads)
{
  std::lock_guard lock(impl_->setup);
  const int priority = impl_->scheduler.priority(callback);
  Faults faults = impl_->check_following(callback, threads, priority);
  const Faults group = impl_->check_group(callback, threads, priority);
  faults.insert(faults.end(), group.begin(), group.end());
  return faults.empty() ? impl_->scheduler.bind(callback, threads) : Status(faults);
}

Status Executor::set_priority(Callback & callback, std::optional<int> priority)
{
  std::lock_guard lock(impl_->setup);
  const ThreadMask threads = impl_->scheduler.threads(callback);
  Binding binding;
  binding.priority = priority;
  const int expected = impl_->expected_priority(callback.id(), binding);
  Faults faults = impl_->check_following(callback, threads, expected);
  const Faults group = impl_->check_group(callback, threads, expected);
  faults.insert(faults.end(), group.begin(), group.end());
  return faults.empty() ? impl_->scheduler.set_priority(callback, priority) : Status(faults);
}

Status Executor::set_chain(const ChainOptions & chain)
{
  std::lock_guard lock(impl_->setup);
  Status status = impl_->scheduler.set_chain(chain);
  if (status.ok()) {
    for (const auto & observer : impl_->observers) {
      observer->on_chain(chain);
    }
  }
  return status;
}

void Executor::allow_across_priorities(const Group & group)
{
  std::lock_guard lock(impl_->setup);
  impl_->across_priorities.insert(&group);
}

void Executor::add_observer(std::shared_ptr<Observer> observer)
{
  std::lock_guard lock(impl_->setup);
  for (const ChainOptions & chain : impl_->scheduler.chains()) {
    observer->on_chain(chain);
  }
  for (const auto & callback : impl_->scheduler.callbacks()) {
    observer->on_added(*callback);
  }
  impl_->observers.push_back(std::move(observer));
}

Faults Executor::Impl::create_threads()
{
  gate.store(static_cast<std::uint32_t>(Gate::closed));
  arrived.store(0);
  const std::size_t count = options.threads.size();
  for (std::uint32_t t = 0; t < count; ++t) {
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
      join_threads(t);
      return {
        options.name + ": cannot create thread " + options.threads[t].attributes.name + ": " +
        std::strerror(error)};
    }
  }
  for (std::uint32_t here = arrived.load(); here < count; here = arrived.load()) {
    futex_wait(arrived, here);
  }
  return {};
}

void Executor::Impl::join_threads(std::size_t count)
{
  for (std::size_t t = 0; t < count; ++t) {
    ::pthread_join(threads[t].handle, nullptr);
  }
}

Status Executor::start(std::optional<Time> epoch)
{
  Impl & impl = *impl_;
  Impl::Use none = Impl::Use::none;
  if (!impl.use.compare_exchange_strong(none, Impl::Use::threads)) {
    return Faults{impl.options.name + ": already spinning"};
  }
  Faults faults;
  if (impl.options.lock_memory) {
    const Status locked = lock_memory();
    if (!locked.ok() && impl.options.missing_rights == MissingRights::fail) {
      faults = locked.faults();
    }
  }
  impl.ceiling = impl.effective_ceiling();
  if (faults.empty()) {
    faults = impl.create_threads();
    if (!faults.empty()) {
      impl.use.store(Impl::Use::none);
      return faults;
    }
    if (impl.options.missing_rights == MissingRights::fail) {
      for (std::size_t t = 0; t < impl.options.threads.size(); ++t) {
        const Faults & refused = impl.threads[t].report.faults;
        faults.insert(faults.end(), refused.begin(), refused.end());
      }
    }
    const bool open = faults.empty();
    if (open) {
      impl.scheduler.open(epoch.value_or(now()));
    }
    impl.gate.store(static_cast<std::uint32_t>(open ? Impl::Gate::open : Impl::Gate::abandoned));
    futex_wake(impl.gate, INT_MAX);
    if (!open) {
      impl.join_threads(impl.options.threads.size());
    }
  }
  if (!faults.empty()) {
    impl.use.store(Impl::Use::none);
  }
  return faults;
}

SpinOutcome Executor::wait()
{
  Impl & impl = *impl_;
  SpinOutcome outcome;
  if (impl.use.load() != Impl::Use::threads) {
    outcome.faults.push_back(impl.options.name + ": not started");
    return outcome;
  }
  while (!impl.cancelled()) {
    futex_wait(impl.cancel, 0);
  }
  impl.join_threads(impl.options.threads.size());
  outcome.exception = impl.take_exception();
  impl.cancel.store(0);
  impl.use.store(Impl::Use::none);
  return outcome;
}

SpinOutcome Executor::spin()
{
  const Status status = start();
  if (!status.ok()) {
    return {status.faults(), nullptr};
  }
  return wait();
}

std::exception_ptr Executor::Impl::take_exception()
{
  std::lock_guard lock(exception_mutex);
  return std::exchange(exception, nullptr);
}

void Executor::cancel() noexcept
{
  impl_->cancel.store(1, std::memory_order_seq_cst);
  futex_wake(impl_->cancel, INT_MAX);
  for (std::uint32_t t = 0; t < impl_->threads.size(); ++t) {
    impl_->wake(t);
  }
}

bool Executor::running() const noexcept
{
  return impl_->use.load() != Impl::Use::none;
}

std::vector<AttributeReport> Executor::attributes() const
{
  std::vector<AttributeReport> reports;
  if (impl_->arrived.load(std::memory_order_seq_cst) < impl_->options.threads.size()) {
    return reports;  // never started, or starting
  }
  for (std::size_t t = 0; t < impl_->options.threads.size(); ++t) {
    reports.push_back(impl_->threads[t].report);
  }
  return reports;
}

std::vector<pid_t> Executor::thread_ids() const
{
  std::vector<pid_t> ids;
  for (std::size_t t = 0; t < impl_->options.threads.size(); ++t) {
    ids.push_back(impl_->threads[t].tid.load());
  }
  return ids;
}

int Executor::middleware_ceiling() const noexcept
{
  return impl_->ceiling;
}

std::uint64_t Executor::exceptions() const noexcept
{
  return impl_->exceptions.load(std::memory_order_relaxed);
}

}  // namespace takt_core
