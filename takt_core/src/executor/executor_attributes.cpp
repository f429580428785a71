// What the threads asked for and got, and changing it while they run.
#include <algorithm>

#include "executor/executor_impl.hpp"

namespace takt_core
{

std::vector<ThreadState> Executor::threads() const
{
  const Impl::SetUp setup(*impl_);
  const std::lock_guard crews(impl_->crews_mutex);
  const std::lock_guard told(impl_->told_mutex);
  std::vector<ThreadState> all;
  impl_->for_each_crew([&](const Crew & crew) {
    if (crew.isolated() && crew.group == nullptr) {
      return;
    }
    for (std::uint32_t t = 0; t < crew.size(); ++t) {
      ThreadState state;
      state.number = crew.first + t;
      state.tid = crew.threads[t].tid.load();
      state.group = crew.group == nullptr ? "" : crew.group->id();
      if (t < crew.reports.size()) {
        state.attributes = crew.reports[t];
      }
      state.attributes.asked = crew.options[t].attributes;
      all.push_back(std::move(state));
    }
  });
  return all;
}

std::vector<AttributeReport> Executor::attributes() const
{
  const std::lock_guard told(impl_->told_mutex);
  std::vector<AttributeReport> all;
  impl_->for_each_crew([&](const Crew & crew) {
    all.insert(all.end(), crew.reports.begin(), crew.reports.end());
  });
  return all;
}

std::vector<pid_t> Executor::thread_ids() const
{
  std::vector<pid_t> ids;
  impl_->for_each_crew([&](const Crew & crew) {
    for (std::uint32_t t = 0; t < crew.size(); ++t) {
      const pid_t tid = crew.threads[t].tid.load();
      if (tid != 0 || !crew.isolated()) {
        ids.push_back(tid);
      }
    }
  });
  return ids;
}

Result<AttributeReport> Executor::set_attributes(
  std::uint32_t thread, const ThreadAttributes & attributes)
{
  Impl & impl = *impl_;
  const Impl::SetUp setup(impl);
  Crew * crew = nullptr;
  impl.for_each_crew([&](Crew & one) {
    const bool used = !one.isolated() || one.group != nullptr;
    if (used && thread >= one.first && thread - one.first < one.size()) {
      crew = &one;
    }
  });
  if (crew == nullptr) {
    return Faults{
      impl.options.name + ": there is no thread " + std::to_string(thread) + " (of " +
      std::to_string(impl.main.size()) + ", numbered from 0)"};
  }
  const std::uint32_t index = thread - crew->first;
  std::vector<ExecutorThreadOptions> changed = crew->options;
  ThreadAttributes & asked = changed[index].attributes;
  const std::string name = asked.name;
  const std::size_t stack_size = asked.stack_size;
  asked = attributes;
  asked.name = name;
  asked.stack_size = stack_size;
  Faults faults;
  for (const Fault & fault : validate(asked)) {
    faults.push_back(within(impl.options.name + ": thread " + name, fault));
  }
  if (changed[index].follow && asked.policy != Policy::fifo) {
    faults.push_back(
      impl.options.name + ": thread " + name +
      " follows its callbacks' priorities, which needs policy fifo");
  }
  if (faults.empty() && !crew->isolated()) {
    faults = impl.check(impl.bindings_now(), changed);
  }
  if (!faults.empty()) {
    return faults;
  }
  AttributeReport report;
  report.asked = asked;
  {
    ExecutorThread & self = crew->threads[index];
    const std::lock_guard there(self.there);
    if (self.priority != nullptr) {
      ThreadAttributes nameless = asked;
      nameless.name.clear();
      const ThreadAttributes before = [&] {
        const std::lock_guard told(impl.told_mutex);
        return index < crew->reports.size() ? crew->reports[index].granted : ThreadAttributes{};
      }();
      report = detail::change(*self.priority, self.tid.load(), nameless, impl.setter());
      report.asked = asked;
      if (!report.granted_all() && impl.options.missing_rights == MissingRights::fail) {
        ThreadAttributes back = before;
        back.name.clear();
        detail::change(*self.priority, self.tid.load(), back, impl.setter());
        for (const Fault & refused : report.faults) {
          faults.push_back(within(impl.options.name + ": thread " + name, refused));
        }
        return faults;
      }
    }
  }
  {
    const std::lock_guard crews(impl.crews_mutex);
    crew->options[index].attributes = asked;
    const std::lock_guard told(impl.told_mutex);
    if (index < crew->reports.size()) {
      crew->reports[index] = report;
    }
  }
  crew->scheduler.set_urgency(index, urgency(asked));
  return report;
}

}  // namespace takt_core
