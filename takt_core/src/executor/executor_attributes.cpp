// Requested and granted attributes of the threads. executor_reconfigure.cpp changes attributes.
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

namespace
{

// If the program changed the attributes of a thread after takt had set them, enters the attributes
// that the thread had at its end.
void add_end(const std::optional<ThreadAttributes> & at_end, AttributeReport & report)
{
  if (at_end && !same_scheduling(*at_end, report.granted)) {
    report.granted = *at_end;
    report.faults.emplace_back(
      "this thread was changed after takt, by the program or from outside");
  }
}

}  // namespace

std::vector<AttributeReport> Executor::attributes() const
{
  const std::lock_guard told(impl_->told_mutex);
  std::vector<AttributeReport> all;
  impl_->for_each_crew([&](Crew & crew) {
    for (std::uint32_t t = 0; t < crew.reports.size(); ++t) {
      all.push_back(crew.reports[t]);
      ExecutorThread & thread = crew.threads[t];
      const std::lock_guard there(thread.there);
      add_end(thread.at_end, all.back());
    }
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

}  // namespace takt_core
