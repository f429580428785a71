// Changes an executor, also while it spins: several changes at once, all or none. This is the one
// way to change bindings, chains and threads of an executor.
#include <algorithm>
#include <map>
#include <utility>

#include "executor/executor_impl.hpp"
#include "takt_core/binding_rules.hpp"
#include "takt_rt/application/thread_name.hpp"

namespace takt_core
{

using takt_rt::Fault;
using takt_rt::Policy;

namespace
{

/// Undoes the added steps, the last one first, unless `all_done` was called.
class Undo
{
public:
  ~Undo()
  {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      (*step)();
    }
  }
  Undo() = default;
  Undo(const Undo &) = delete;
  Undo & operator=(const Undo &) = delete;

  void add(std::function<void()> step) { steps_.push_back(std::move(step)); }
  void all_done() noexcept { steps_.clear(); }

private:
  std::vector<std::function<void()>> steps_;
};

}  // namespace

struct Executor::Impl::ThreadPlace
{
  Crew * crew = nullptr;
  std::uint32_t index = 0;
};

Executor::Impl::ThreadPlace Executor::Impl::find_thread(std::uint32_t number)
{
  ThreadPlace place;
  for_each_crew([&](Crew & crew) {
    const bool used = !crew.isolated() || crew.group != nullptr;
    if (used && number >= crew.first && number - crew.first < crew.size()) {
      place = {&crew, number - crew.first};
    }
  });
  return place;
}

// The threads of the options after the change. Adds the faults that a change has regardless of the
// other changes.
std::vector<ExecutorThreadOptions> Executor::Impl::threads_after(
  const std::vector<Reconfiguration::ThreadChange> & changes, Faults & faults)
{
  std::vector<ExecutorThreadOptions> after = main.options;
  for (const auto & change : changes) {
    const ThreadPlace place = find_thread(change.number);
    if (
      place.crew != nullptr && place.crew->isolated() && place.crew->group->id() != change.group) {
      faults.push_back(
        options.name + ": thread " + std::to_string(change.number) + " is not of group '" +
        change.group + "', but of '" + place.crew->group->id() + "'");
      continue;
    }
    if (place.crew == nullptr) {
      faults.push_back(
        options.name + ": there is no thread " + std::to_string(change.number) + " (of " +
        std::to_string(main.size()) + ", numbered from 0)");
      continue;
    }
    const std::string & name = place.crew->options[place.index].attributes.name;
    for (const Fault & fault : validate(takt_rt::with_kept_name(change.attributes))) {
      faults.push_back(within(options.name + ": thread " + name, fault));
    }
    if (place.crew->options[place.index].follow && change.attributes.policy != Policy::fifo) {
      faults.push_back(
        options.name + ": thread " + name +
        " follows its callbacks' priorities, which needs policy fifo");
    }
    if (!place.crew->isolated()) {
      after[place.index].attributes = change.attributes;
      after[place.index].attributes.name = name;
    }
  }
  return after;
}

std::vector<ChainOptions> Executor::Impl::chains_after(const Reconfiguration & change) const
{
  std::vector<ChainOptions> chains = change.chains.value_or(main.scheduler.chains());
  for (const ChainOptions & one : change.more_chains) {
    std::erase_if(chains, [&](const ChainOptions & old) { return old.name == one.name; });
    chains.push_back(one);
  }
  return chains;
}

Faults Executor::Impl::check_after(const Reconfiguration & change)
{
  Faults faults;
  const std::vector<ExecutorThreadOptions> threads = threads_after(change.threads, faults);
  const std::vector<ChainOptions> chains = chains_after(change);
  std::vector<NewBinding> bindings;
  for (const auto & callback : main.scheduler.callbacks()) {
    if (callback->non_triggering()) {
      continue;
    }
    Binding binding = *main.scheduler.binding(*callback);
    for (const auto & one : change.callbacks) {
      binding = one.callback == callback ? one.binding : binding;
    }
    const auto & across = change.across_priorities;
    bindings.push_back(
      {callback.get(), binding.threads,
       binding.priority.value_or(inherited_priority(chains, callback->chain_id())),
       std::find(across.begin(), across.end(), &callback->group()) != across.end()});
  }
  for (const auto & one : change.callbacks) {
    if (one.callback == nullptr || !has(*one.callback)) {
      faults.push_back(
        options.name + ": " + (one.callback == nullptr ? "no callback" : one.callback->id()) +
        " is not in this executor");
    } else if (crew_of(*one.callback).isolated() && one.binding.threads != 0) {
      faults.push_back(has_own_threads(*one.callback));
    }
  }
  append(faults, check(bindings, threads));
  return faults;
}

Status Executor::Impl::set_chains(const std::vector<ChainOptions> & chains)
{
  for (const ChainOptions & old : main.scheduler.chains()) {
    const bool stays = std::any_of(chains.begin(), chains.end(), [&](const ChainOptions & chain) {
      return chain.name == old.name;
    });
    if (!stays) {
      for_each_crew([&](Crew & crew) { static_cast<void>(crew.scheduler.remove_chain(old.name)); });
      for (const auto & observer : observers) {
        observer->on_chain_removed(old.name);
      }
    }
  }
  for (const ChainOptions & chain : chains) {
    if (const Status set = set_chain(chain); !set.ok()) {
      return set;
    }
  }
  return {};
}

Status Executor::Impl::set_chain(const ChainOptions & chain)
{
  if (const Status set = main.scheduler.set_chain(chain); !set.ok()) {
    return set;
  }
  for (const auto & crew : owned_crews) {
    static_cast<void>(
      crew->scheduler.set_chain(chain));  // the main scheduler accepted the chain, so this one does
  }
  for (const auto & observer : observers) {
    observer->on_chain(chain);
  }
  return {};
}

// Callbacks with the same threads move together: under order `window` a single callback could not
// leave its set.
Status Executor::Impl::bind(const std::vector<Reconfiguration::CallbackChange> & changes)
{
  std::map<ThreadMask, std::vector<Callback *>> together;
  for (const auto & change : changes) {
    if (!crew_of(*change.callback).isolated()) {
      together[change.binding.threads].push_back(change.callback.get());
      if (Callback * const publisher = logical_times.publisher_of(*change.callback)) {
        together[change.binding.threads].push_back(publisher);
      }
    }
  }
  for (const auto & [threads, callbacks] : together) {
    if (const Status bound = main.scheduler.bind(callbacks, threads); !bound.ok()) {
      main.words.moved();
      return bound;
    }
  }
  main.words.moved();
  return {};
}

Status Executor::Impl::rebind(const std::vector<Reconfiguration::CallbackChange> & changes)
{
  if (const Status bound = bind(changes); !bound.ok()) {
    return bound;
  }
  for (const auto & [callback, binding] : changes) {
    Scheduler & scheduler = crew_of(*callback).scheduler;
    if (const Status set = scheduler.set_priority(*callback, binding.priority); !set.ok()) {
      return set;
    }
    if (const Status set = scheduler.set_boost(*callback, binding.boost); !set.ok()) {
      return set;
    }
    if (const Status set = scheduler.set_deadline(*callback, binding.deadline); !set.ok()) {
      return set;
    }
    tell_rebound(*callback);
  }
  return {};
}

void Executor::Impl::tell_rebound(const Callback & callback)
{
  for (const auto & observer : observers) {
    observer->on_rebound(callback);
  }
}

// Gives a thread new attributes. Runs on any thread; with `setup` held.
AttributeReport Executor::Impl::change_thread(
  const ThreadPlace & place, const ThreadAttributes & attributes)
{
  Crew & crew = *place.crew;
  ExecutorThread & self = crew.threads[place.index];
  if (crew.gate.load() == static_cast<std::uint32_t>(Crew::Gate::open)) {
    await_arrival(crew);  // a thread that has not begun is still reading its attributes
  }
  ThreadAttributes asked = attributes;
  asked.name = crew.options[place.index].attributes.name;
  asked.stack_size = crew.options[place.index].attributes.stack_size;
  AttributeReport report;
  {
    const std::lock_guard there(self.there);
    if (self.priority != nullptr) {
      ThreadAttributes nameless = asked;
      nameless.name.clear();
      report =
        detail::change(*self.priority, self.tid.load(), filled_in(nameless, starter), setter());
      self.report.granted = report.granted;
    }
  }
  report.asked = asked;
  {
    const std::lock_guard crews_lock(crews_mutex);
    crew.options[place.index].attributes = asked;
    const std::lock_guard told(told_mutex);
    if (place.index < crew.reports.size()) {
      crew.reports[place.index] = report;
    }
  }
  crew.scheduler.set_urgency(place.index, urgency(asked));
  self.urgency.store(urgency(asked), std::memory_order_relaxed);
  self.has_programs_policy.store(asked.policy == Policy::inherit && !asked.nice);
  return report;
}

Faults Executor::check(const Reconfiguration & change) const
{
  const Impl::SetUp setup(*impl_);
  return impl_->check_after(change);
}

Reconfiguration Executor::configuration() const
{
  Reconfiguration now;
  now.chains = impl_->main.scheduler.chains();
  for (const auto & callback : callbacks()) {
    if (const auto binding = impl_->crew_of(*callback).scheduler.binding(*callback); binding.ok()) {
      now.callbacks.push_back({callback, *binding});
    }
  }
  for (const ThreadState & thread : threads()) {
    now.threads.push_back({thread.number, thread.attributes.asked, thread.group});
  }
  return now;
}

Result<std::vector<AttributeReport>> Executor::reconfigure(const Reconfiguration & change)
{
  Impl & impl = *impl_;
  const Impl::SetUp setup(impl);
  if (Faults faults = impl.check_after(change); !faults.empty()) {
    return faults;
  }
  for (Group * const group : change.across_priorities) {
    group->allow_across_priorities();
  }
  Undo undo;
  if (change.chains || !change.more_chains.empty()) {
    undo.add([&impl, before = impl.main.scheduler.chains()] {
      static_cast<void>(impl.set_chains(before));
    });
  }
  if (change.chains) {
    if (const Status set = impl.set_chains(*change.chains); !set.ok()) {
      return set.faults();
    }
  }
  for (const ChainOptions & chain : change.more_chains) {
    if (const Status set = impl.set_chain(chain); !set.ok()) {
      return set.faults();
    }
  }
  if (!change.callbacks.empty()) {
    std::vector<Reconfiguration::CallbackChange> before;
    for (const auto & one : change.callbacks) {
      before.push_back(
        {one.callback, *impl.crew_of(*one.callback).scheduler.binding(*one.callback)});
    }
    undo.add([&impl, before = std::move(before)] { static_cast<void>(impl.rebind(before)); });
    if (const Status bound = impl.rebind(change.callbacks); !bound.ok()) {
      return bound.faults();
    }
  }
  Faults refused;
  std::vector<AttributeReport> reports;
  for (const auto & one : change.threads) {
    const Impl::ThreadPlace place = impl.find_thread(one.number);
    const ThreadAttributes asked = place.crew->options[place.index].attributes;
    undo.add([&impl, place, asked] { impl.change_thread(place, asked); });
    reports.push_back(impl.change_thread(place, one.attributes));
    for (const Fault & fault : reports.back().faults) {
      refused.push_back(within(impl.options.name + ": thread " + asked.name, fault));
    }
    if (!refused.empty() && impl.options.missing_rights == MissingRights::fail) {
      return refused;
    }
  }
  undo.all_done();
  return reports;
}

}  // namespace takt_core
