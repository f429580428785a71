// Set-up and queries. Options are in executor_options.cpp, starting and waiting in
// executor_spin.cpp, what the threads do in executor_thread.cpp, spins on the caller's thread in
// executor_visit.cpp.
#include "takt_core/executor.hpp"

#include <chrono>
#include <thread>

#include "executor/executor_impl.hpp"
#include "scheduler/removal_wait.hpp"
#include "takt_core/binding_rules.hpp"

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

}  // namespace

Executor::Impl::Impl(ExecutorOptions o, Executor & owner)
: owner(owner),
  options(with_defaults(std::move(o))),
  threads(options.threads.size() + 1),
  scheduler(scheduler_options(options), *this)
{
  uniform = takt_core::uniform(options.threads);
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
  if (callback == nullptr) {
    return Faults{impl_->options.name + ": there is no callback to add: the pointer is null"};
  }
  const Impl::SetUp setup(*impl_);
  Callback & added = *callback;
  const int priority =
    binding.priority.value_or(inherited_priority(impl_->scheduler.chains(), added.chain_id()));
  Faults faults = impl_->check({{&added, binding.threads, priority}});
  if (!faults.empty()) {
    return faults;
  }
  // Observers are told before it can run, so that they miss nothing.
  return impl_->scheduler.add(std::move(callback), binding, now(), [&] {
    impl_->members[&added.group()].push_back(&added);
    for (const auto & observer : impl_->observers) {
      observer->on_added(added);
    }
  });
}

void Executor::remove(Callback & callback)
{
  std::shared_ptr<Callback> removed;  // given up last, when no lock is held
  {
    const Impl::SetUp setup(*impl_);
    if (impl_->has(callback)) {
      const auto group = impl_->members.find(&callback.group());
      std::erase(group->second, &callback);
      if (group->second.empty()) {
        impl_->members.erase(group);
      }
      for (const auto & observer : impl_->observers) {
        observer->on_removed(callback);
      }
    }
    removed = impl_->scheduler.remove(callback, true);
  }
  if (removed != nullptr && impl_->scheduler.running(callback)) {
    const detail::RemovalWait wait(callback);
    while (!wait.endless() && impl_->scheduler.running(callback)) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (wait.endless()) {
      impl_->scheduler.leave_to_reap(callback);
      impl_->notify();  // whoever waits for the end of the spin frees it
      return;
    }
  }
  impl_->scheduler.reap(&callback);
}

Status Executor::bind(Callback & callback, ThreadMask threads)
{
  const Impl::SetUp setup(*impl_);
  if (impl_->has(callback)) {
    Faults faults = impl_->check({{&callback, threads, impl_->scheduler.priority(callback)}});
    if (!faults.empty()) {
      return faults;
    }
  }
  return impl_->scheduler.bind(callback, threads);
}

Status Executor::set_priority(Callback & callback, std::optional<int> priority)
{
  const Impl::SetUp setup(*impl_);
  if (impl_->has(callback)) {
    const int expected =
      priority.value_or(inherited_priority(impl_->scheduler.chains(), callback.chain_id()));
    Faults faults = impl_->check({{&callback, impl_->scheduler.threads(callback), expected}});
    if (!faults.empty()) {
      return faults;
    }
  }
  return impl_->scheduler.set_priority(callback, priority);
}

Status Executor::set_chain(const ChainOptions & chain)
{
  const Impl::SetUp setup(*impl_);
  Faults faults = impl_->check(impl_->bindings_after(chain.name, &chain));
  if (!faults.empty()) {
    return faults;
  }
  Status status = impl_->scheduler.set_chain(chain);
  if (status.ok()) {
    for (const auto & observer : impl_->observers) {
      observer->on_chain(chain);
    }
  }
  return status;
}

Status Executor::remove_chain(std::string_view name)
{
  const Impl::SetUp setup(*impl_);
  Faults faults = impl_->check(impl_->bindings_after(name, nullptr));
  if (!faults.empty()) {
    return faults;
  }
  Status status = impl_->scheduler.remove_chain(name);
  if (status.ok()) {
    for (const auto & observer : impl_->observers) {
      observer->on_chain_removed(name);
    }
  }
  return status;
}

Status Executor::bind_chain(std::string_view name, ThreadMask threads)
{
  const Impl::SetUp setup(*impl_);
  std::vector<Impl::NewBinding> bindings;
  for (const auto & member : impl_->scheduler.members(name)) {
    bindings.push_back({member.get(), threads, impl_->scheduler.priority(*member)});
  }
  Faults faults = impl_->check(bindings);
  if (!faults.empty()) {
    return faults;
  }
  return impl_->scheduler.bind_chain(name, threads);
}

void Executor::allow_across_priorities(Group & group)
{
  group.across_priorities_.store(true, std::memory_order_relaxed);
}

Status Executor::add_observer(std::shared_ptr<Observer> observer)
{
  if (observer == nullptr) {
    return Faults{impl_->options.name + ": there is no observer to add: the pointer is null"};
  }
  const Impl::SetUp setup(*impl_);
  // Threads go through the observers without a lock: nobody may begin to spin meanwhile.
  Impl::Use none = Impl::Use::none;
  if (!impl_->use.compare_exchange_strong(none, Impl::Use::visitor)) {
    return Faults{impl_->options.name + ": observers cannot be added while it is spinning"};
  }
  for (const ChainOptions & chain : impl_->scheduler.chains()) {
    observer->on_chain(chain);
  }
  for (const auto & callback : impl_->scheduler.callbacks()) {
    observer->on_added(*callback);
  }
  impl_->observers.push_back(std::move(observer));
  impl_->use.store(Impl::Use::none);
  return {};
}

void Executor::cancel() noexcept
{
  impl_->cancel.store(1, std::memory_order_seq_cst);
  impl_->notify();
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
  std::lock_guard lock(impl_->told_mutex);
  return impl_->reports;
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
  return impl_->ceiling.load(std::memory_order_relaxed);
}

Faults Executor::refusals() const
{
  std::lock_guard lock(impl_->told_mutex);
  return impl_->refusals;
}

std::uint64_t Executor::exceptions() const noexcept
{
  return impl_->exceptions.load(std::memory_order_relaxed);
}

}  // namespace takt_core
