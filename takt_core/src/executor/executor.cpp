// Set-up and queries. The options are in executor_options.cpp, starting and waiting in
// executor_spin.cpp, the threads' loop in executor_thread.cpp, and spins on the caller's thread in
// executor_visit.cpp.
#include "takt_core/executor.hpp"

#include <chrono>
#include <thread>

#include "executor/executor_impl.hpp"
#include "executor/registry.hpp"
#include "scheduler/removal_wait.hpp"
#include "takt_core/binding_rules.hpp"

namespace takt_core
{

using takt_rt::Fault;
using takt_rt::now;

Executor::Impl::Impl(ExecutorOptions o, Executor & owner)
: owner(owner),
  options(with_defaults(std::move(o))),
  next_number(static_cast<std::uint32_t>(options.threads.size()) + 1),
  phases(options.phases ? std::make_unique<Phases>(*options.phases, options.epoch) : nullptr),
  main(options, options.threads, 0, visitor, phases.get(), nullptr)
{
}

// Destroys isolated crews first: a callback's destructor may still use the other members.
Executor::Impl::~Impl()
{
  logical_times.clear();
  crews.store(nullptr);
  owned_crews.clear();
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
  detail::register_executor(*this);
}

Executor::~Executor()
{
  detail::unregister_executor(*this);
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
  return impl_->main.scheduler;
}
const Scheduler & Executor::scheduler() const noexcept
{
  return impl_->main.scheduler;
}
Scheduler & Executor::scheduler_of(const Callback & callback) noexcept
{
  if (impl_->crews.load(std::memory_order_relaxed) == nullptr) {
    return impl_->main.scheduler;
  }
  Scheduler * const owner = Scheduler::of(callback);
  return owner == nullptr ? impl_->main.scheduler : *owner;
}

Status Executor::isolate(Group & group, const Isolation & isolation)
{
  const Impl::SetUp setup(*impl_);
  if (group.isolation_ != nullptr && *group.isolation_ == isolation) {
    return {};
  }
  if (group.members() > 0) {
    return Faults{
      impl_->options.name + ": group " + group.id() +
      " has callbacks in an executor; isolate it before the first one is added"};
  }
  Faults faults;
  for (const Fault & fault : validate(isolation, group)) {
    faults.push_back(within(impl_->options.name + ": group " + group.id(), fault));
  }
  if (faults.empty()) {
    group.isolation_ = std::make_shared<const Isolation>(isolation);
  }
  return faults;
}

std::uint32_t Executor::lanes(const Group & group) const noexcept
{
  if (group.exclusive()) {
    return 1;
  }
  return (group.isolation_ == nullptr ? impl_->main.size() : group.isolation_->threads) + 1;
}

Status Executor::add(std::shared_ptr<Callback> callback, const Binding & binding)
{
  if (callback == nullptr) {
    return Faults{impl_->options.name + ": there is no callback to add: the pointer is null"};
  }
  Impl & impl = *impl_;
  const Impl::SetUp setup(impl);
  Callback & added = *callback;
  Group & group = added.group();
  const bool isolated = group.isolation_ != nullptr;
  Faults faults = impl.check_id(added);
  ArrivalWord * const word = added.arrival_word();
  append(faults, impl.check_word(added, word));
  if (word != nullptr && binding.non_triggering && binding.non_triggering->by_release) {
    faults.push_back(
      added.id() + ": its group " + group.id() +
      " has logical execution time (let), and no thread sees when a message of this callback's "
      "source "
      "arrives before it looks; omit let, or have the messages come through the middleware");
  }
  Crew * crew = &impl.main;
  if (isolated && binding.threads != 0) {
    faults.push_back(has_own_threads(added) + "; bind them to none");
  } else if (isolated && faults.empty()) {
    crew = &impl.crew_for(group, *group.isolation_);
    faults = impl.staff(*crew);
  } else if (!isolated && binding.non_triggering) {
    append(faults, impl.check_taken(added, *binding.non_triggering));
  } else if (!isolated) {
    const int priority =
      binding.priority.value_or(inherited_priority(impl.main.scheduler.chains(), added.chain_id()));
    append(faults, impl.check({{&added, binding.threads, priority}}));
  }
  if (faults.empty()) {
    append(faults, impl.add_publisher(*crew, added, binding).faults());
  }
  // Notify observers before the callback can run, so that they miss no event.
  Status status = faults;
  if (faults.empty()) {
    status = crew->scheduler.add(std::move(callback), binding, now(), [&] {
      impl.members[&group].push_back(&added);
      if (isolated) {
        impl.isolated_ids.emplace(added.id(), &added);
      }
      for (const auto & observer : impl.observers) {
        observer->on_added(added);
      }
    });
  }
  if (!status.ok()) {
    impl.remove_publisher(*crew, added);
  } else if (word != nullptr) {
    crew->words.add(added, *word);
  }
  if (crew->isolated() && impl.members.count(&group) == 0) {
    impl.release(*crew);
  }
  return status;
}

// Adds the publisher of a group's logical execution time, when the group's timer is added. The
// timer's period is the period of that logical time.
Status Executor::Impl::add_publisher(Crew & crew, Callback & timer, const Binding & binding)
{
  const std::shared_ptr<LogicalTime> & group = timer.group().logical_time_;
  if (timer.kind() != Kind::timer || group == nullptr) {
    return {};
  }
  if (!timer.group().exclusive()) {
    return Faults{
      timer.id() + ": its group " + timer.group().id() +
      " is reentrant, and logical execution time (let) needs a mutually exclusive group, since its "
      "runs must not overlap"};
  }
  if (const Callback * const first = logical_times.timer_of(*group)) {
    return Faults{
      timer.id() + ": its group " + timer.group().id() +
      " has logical execution time, whose period is that of " + first->id() +
      "; such a group has one timer, so give this one another group"};
  }
  Binding urgent;
  urgent.threads = binding.threads;
  urgent.priority = 255;
  urgent.deadline = Duration(1);  // before all other callbacks that are released at the border
  const std::shared_ptr<Callback> publisher = logical_times.attach(group, timer, crew.scheduler);
  return crew.scheduler.add(publisher, urgent, now(), [&] {
    for (const auto & observer : observers) {
      observer->on_added(*publisher);
    }
  });
}

LogicalTimes::Left Executor::Impl::remove_publisher(Crew & crew, const Callback & timer)
{
  const std::shared_ptr<LogicalTime> & group = timer.group().logical_time_;
  if (group == nullptr || logical_times.timer_of(*group) != &timer) {
    return {};
  }
  LogicalTimes::Left left = logical_times.detach(*group);
  if (crew.scheduler.threads(*left.publisher) != 0) {  // adding it may have failed
    for (const auto & observer : observers) {
      observer->on_removed(*left.publisher);
    }
    crew.scheduler.remove(*left.publisher);
  }
  return left;
}

void Executor::remove(Callback & callback)
{
  impl_->remove(callback, true);
}
void Executor::retire(Callback & callback)
{
  impl_->remove(callback, false);
}

void Executor::release_condition(Group & group)
{
  const Impl::SetUp setup(*impl_);
  const auto known = impl_->members.find(&group);
  if (known == impl_->members.end() || known->second.empty()) {
    group.condition_holds_.fetch_sub(1);
    return;
  }
  impl_->crew_of(*known->second.front()).scheduler.release_condition(group, now());
}

void Executor::Impl::remove(Callback & callback, bool waits)
{
  Impl & impl = *this;
  std::shared_ptr<Callback> removed;       // freed last, without locks
  std::optional<LogicalTimes::Left> left;  // freed last, too
  Crew * crew = nullptr;
  {
    const Impl::SetUp setup(impl);
    crew = &impl.crew_of(callback);
    bool last = false;
    if (impl.has(callback)) {
      const auto group = impl.members.find(&callback.group());
      std::erase(group->second, &callback);
      if (group->second.empty()) {
        impl.members.erase(group);
        last = crew->isolated();
      }
      if (crew->isolated()) {
        impl.isolated_ids.erase(callback.id());
      }
      for (const auto & observer : impl.observers) {
        observer->on_removed(callback);
      }
      left.emplace(impl.remove_publisher(*crew, callback));
    }
    crew->words.remove(callback);
    removed = crew->scheduler.remove(callback, true);
    if (last) {
      impl.release(*crew);
    }
  }
  if (removed != nullptr && crew->scheduler.running(callback)) {
    if (waits) {
      const detail::RemovalWait wait(callback);
      while (!wait.endless() && crew->scheduler.running(callback)) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      waits = !wait.endless();
    }
    if (!waits) {
      crew->scheduler.leave_to_reap(callback);
      impl.notify();  // a thread in `wait` frees the callback
      return;
    }
  }
  crew->scheduler.reap(&callback);
}

void Executor::ready(Callback & callback, std::uint32_t count, Time newest) noexcept
{
  const Time time = now();
  for (const auto & place : impl_->arrival_observers) {
    Observer * const observer = place.load(std::memory_order_acquire);
    if (observer == nullptr) {
      break;
    }
    observer->on_arrival(callback, count, time);
  }
  scheduler_of(callback).ready(callback, count, LogicalTimes::arrival_time(time), newest);
}

std::shared_ptr<Callback> Executor::find(std::string_view id) const
{
  const Impl::SetUp setup(*impl_);
  const auto isolated = impl_->isolated_ids.find(id);
  return isolated == impl_->isolated_ids.end()
           ? impl_->main.scheduler.find(id)
           : impl_->crew_of(*isolated->second).scheduler.find(id);
}

std::vector<std::shared_ptr<Callback>> Executor::callbacks() const
{
  const Impl::SetUp setup(*impl_);
  std::vector<std::shared_ptr<Callback>> all = impl_->main.scheduler.callbacks();
  for (const auto & crew : impl_->owned_crews) {
    for (auto & callback : crew->scheduler.callbacks()) {
      all.push_back(std::move(callback));
    }
  }
  return all;
}

Faults Executor::waiting_in_vain() const
{
  const Impl::SetUp setup(*impl_);
  Faults all = impl_->main.scheduler.waiting_in_vain();
  for (const auto & crew : impl_->owned_crews) {
    append(all, crew->scheduler.waiting_in_vain());
  }
  return all;
}

Status Executor::add_observer(std::shared_ptr<Observer> observer)
{
  if (observer == nullptr) {
    return Faults{impl_->options.name + ": there is no observer to add: the pointer is null"};
  }
  const Impl::SetUp setup(*impl_);
  const ObserverInterest interest = observer->interest();
  std::size_t place = 0;
  while (interest.arrivals && impl_->arrival_observers[place].load() != nullptr) {
    ++place;
  }
  if (place == Impl::kMostArrivalObservers) {
    return Faults{
      impl_->options.name + ": " + std::to_string(place) + " observers watch arrivals already"};
  }
  // Threads read the list of observers without a lock: no spin may begin meanwhile.
  Impl::Use none = Impl::Use::none;
  if (!impl_->use.compare_exchange_strong(none, Impl::Use::visitor)) {
    return Faults{impl_->options.name + ": observers cannot be added while it is spinning"};
  }
  impl_->for_each_crew([&](Crew & crew) {
    if (!crew.isolated()) {
      for (const ChainOptions & chain : crew.scheduler.chains()) {
        observer->on_chain(chain);
      }
    }
    for (const auto & callback : crew.scheduler.callbacks()) {
      observer->on_added(*callback);
    }
  });
  if (interest.runs) {
    impl_->run_observers.push_back(observer.get());
  }
  if (interest.idling) {
    impl_->idle_observers.push_back(observer.get());
  }
  if (interest.parking) {
    impl_->parking_observers.push_back(observer.get());
    // An isolated exclusive group has one thread: its callbacks never wait for the group.
    impl_->main.scheduler.set_parking_listener(*impl_);
  }
  if (interest.arrivals) {
    impl_->arrival_observers[place].store(observer.get(), std::memory_order_release);
  }
  impl_->observers.push_back(std::move(observer));
  impl_->use.store(Impl::Use::none);
  return {};
}

void Executor::cancel() noexcept
{
  impl_->cancel.store(1, std::memory_order_seq_cst);
  impl_->notify();
  impl_->for_each_crew([](Crew & crew) {
    for (std::uint32_t t = 0; t < crew.size(); ++t) {
      crew.wake(t);
    }
  });
  impl_->main.wake(impl_->main.size());  // the visitor
}

bool Executor::running() const noexcept
{
  return impl_->use.load() != Impl::Use::none;
}

bool Executor::starts_callbacks() const noexcept
{
  return running() && !impl_->cancelled();
}

std::optional<PhaseState> Executor::phases() const
{
  if (impl_->phases == nullptr) {
    return std::nullopt;
  }
  PhasedTimers timers;
  impl_->for_each_crew([&](const Crew & crew) { crew.scheduler.add_to(timers); });
  return impl_->phases->state(timers);
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
