// Creates and joins the executor's threads, also those of isolated groups.
//
// A crew belongs to a group as long as the group has members. Its threads end by themselves after
// the removal of the last member. The next set-up function or `wait`, whichever comes first, joins
// them; the crew is then free for another group.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "executor/executor_impl.hpp"
#include "takt_rt/futex.hpp"

namespace takt_core
{

using takt_rt::Fault;
using takt_rt::futex_wait;
using takt_rt::futex_wake;

Crew & Executor::Impl::crew_of(const Callback & callback) noexcept
{
  const Scheduler * const scheduler = Scheduler::of(callback);
  if (scheduler == nullptr || scheduler == &main.scheduler) {
    return main;
  }
  for (Crew * crew = crews.load(std::memory_order_acquire); crew != nullptr; crew = crew->next) {
    if (scheduler == &crew->scheduler) {
      return *crew;
    }
  }
  return main;
}

// Returns the group's crew; with `setup` held.
Crew & Executor::Impl::crew_for(const Group & group, const Isolation & isolation)
{
  Crew * free = nullptr;
  for (const auto & crew : owned_crews) {
    if (crew->group == &group) {
      return *crew;
    }
    const std::lock_guard lock(crews_mutex);
    if (crew->group == nullptr && !crew->staffed && crew->size() == isolation.threads) {
      free = crew.get();
    }
  }
  ExecutorThreadOptions thread;
  thread.attributes = isolation.attributes;
  if (thread.attributes.name.empty()) {
    thread.attributes.name = options.name;
  }
  if (free == nullptr) {
    owned_crews.push_back(std::make_unique<Crew>(
      options, std::vector<ExecutorThreadOptions>(isolation.threads, thread), next_number, visitor,
      phases.get(), &main));
    free = owned_crews.back().get();
    next_number += isolation.threads;
    for (const ChainOptions & chain : main.scheduler.chains()) {
      static_cast<void>(free->scheduler.set_chain(chain));
    }
    free->next = crews.load(std::memory_order_relaxed);
    crews.store(free, std::memory_order_release);
  }
  for (std::uint32_t t = 0; t < free->size(); ++t) {
    free->scheduler.set_urgency(t, urgency(thread.attributes));
    free->threads[t].urgency.store(urgency(thread.attributes), std::memory_order_relaxed);
  }
  const std::lock_guard lock(crews_mutex);
  std::fill(free->options.begin(), free->options.end(), thread);
  free->group = &group;
  return *free;
}

// Notes that the group has left the crew; with `setup` held.
void Executor::Impl::release(Crew & crew)
{
  const std::lock_guard lock(crews_mutex);
  crew.group = nullptr;
  if (!crew.staffed) {
    return;
  }
  crew.ending.store(true, std::memory_order_seq_cst);
  leaving.store(true, std::memory_order_seq_cst);
  for (std::uint32_t t = 0; t < crew.size(); ++t) {
    crew.wake(t);
  }
}

Faults Executor::Impl::create_threads(Crew & crew, std::uint32_t begin)
{
  crew.gate.store(static_cast<std::uint32_t>(Crew::Gate::closed));
  crew.arrived.store(0);
  crew.left.store(0);
  for (std::uint32_t t = begin; t < crew.size(); ++t) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    if (const std::size_t stack = crew.options[t].attributes.stack_size; stack != 0) {
      ::pthread_attr_setstacksize(
        &attributes, std::max<std::size_t>(stack, static_cast<std::size_t>(PTHREAD_STACK_MIN)));
    }
    struct Start
    {
      Impl * impl;
      Crew * crew;
      std::uint32_t index;
    };
    auto * const start = new Start{this, &crew, t};
    const auto entry = [](void * argument) -> void * {
      const std::unique_ptr<Start> own(static_cast<Start *>(argument));
      own->impl->thread_main(*own->crew, own->index);
      return nullptr;
    };
    const int error = ::pthread_create(&crew.threads[t].handle, &attributes, entry, start);
    ::pthread_attr_destroy(&attributes);
    if (error != 0) {
      delete start;
      open_gate(crew, Crew::Gate::abandoned);
      for (std::uint32_t created = begin; created < t; ++created) {
        ::pthread_join(crew.threads[created].handle, nullptr);
      }
      return {
        options.name + ": cannot create thread " + crew.options[t].attributes.name + ": " +
        std::strerror(error)};
    }
  }
  return {};
}

void Executor::Impl::await_arrival(Crew & crew)
{
  for (std::uint32_t here = crew.arrived.load(); here < crew.size(); here = crew.arrived.load()) {
    futex_wait(crew.arrived, here);
  }
}

// Enters the requested attributes of all threads into the reports, because the start does not wait
// for these threads. Each thread replaces its entry when it begins.
void Executor::Impl::expect_reports(Crew & crew)
{
  std::vector<AttributeReport> expected;
  for (const ExecutorThreadOptions & thread : crew.options) {
    AttributeReport report;
    report.asked = thread.attributes;
    report.granted = starter;
    report.granted.name = thread.attributes.name;
    expected.push_back(std::move(report));
  }
  const std::lock_guard lock(told_mutex);
  crew.reports = std::move(expected);
}

// Collects the granted attributes, and the faults that prevent a start.
Faults Executor::Impl::collect_reports(Crew & crew)
{
  Faults faults;
  std::vector<AttributeReport> told;
  for (std::uint32_t t = 0; t < crew.size(); ++t) {
    told.push_back(crew.threads[t].report);
    if (options.missing_rights != MissingRights::fail) {
      continue;
    }
    for (const Fault & refused : told.back().faults) {
      faults.push_back(
        within(options.name + ": thread " + crew.options[t].attributes.name, refused));
    }
  }
  const std::lock_guard lock(told_mutex);
  crew.reports = std::move(told);
  return faults;
}

void Executor::Impl::open_gate(Crew & crew, Crew::Gate gate)
{
  crew.gate.store(static_cast<std::uint32_t>(gate));
  futex_wake(crew.gate, INT_MAX);
}

void Executor::Impl::join_threads(Crew & crew, std::uint32_t begin)
{
  for (std::uint32_t t = begin; t < crew.size(); ++t) {
    ::pthread_join(crew.threads[t].handle, nullptr);
  }
}

// Creates an isolated crew's threads and opens their gate if the executor spins. With `setup` held.
Faults Executor::Impl::staff(Crew & crew)
{
  const std::lock_guard lock(crews_mutex);
  if (!running || crew.staffed) {
    return {};
  }
  if (Faults faults = create_threads(crew, 0); !faults.empty()) {
    return faults;
  }
  await_arrival(crew);
  Faults faults = collect_reports(crew);
  if (!faults.empty()) {
    open_gate(crew, Crew::Gate::abandoned);
    join_threads(crew, 0);
    return faults;
  }
  crew.scheduler.open(epoch);
  crew.staffed = true;
  open_gate(crew, Crew::Gate::open);
  return {};
}

// Frees callbacks that were removed while they ran and have ended, and joins threads of ending
// crews. True if removed callbacks are left.
bool Executor::Impl::reap()
{
  bool left = false;
  for_each_crew([&](Crew & crew) { left = crew.scheduler.reap() || left; });
  if (!leaving.load(std::memory_order_seq_cst)) {
    return left;
  }
  const std::lock_guard lock(crews_mutex);
  bool more = false;
  for (Crew * crew = crews.load(std::memory_order_acquire); crew != nullptr; crew = crew->next) {
    if (!crew->staffed || crew->joining || !crew->ending.load(std::memory_order_seq_cst)) {
      continue;
    }
    if (crew->left.load(std::memory_order_seq_cst) < crew->size()) {
      more = true;  // the last of these threads calls `notify`
      continue;
    }
    join_threads(*crew, 0);
    crew->staffed = false;
    crew->ending.store(false);
    const std::lock_guard told(told_mutex);
    crew->reports.clear();
  }
  // Clear `leaving` only when no thread is left to join. Otherwise the thread in `await`, which a
  // leaving thread notified, would sleep on instead of looking.
  leaving.store(more, std::memory_order_seq_cst);
  return left;
}

}  // namespace takt_core
