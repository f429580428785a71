#include "run/part_executor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/callback_table.hpp"
#include "graph/graph_parse.hpp"
#include "run/part_schedule.hpp"
#include "takt_rcl/error.hpp"
#include "takt_schedule/core_options.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_workload
{

namespace
{

std::vector<takt_rt::ThreadAttributes> attributes_of(const takt_core::ExecutorOptions & options)
{
  std::vector<takt_rt::ThreadAttributes> all;
  for (const takt_core::ExecutorThreadOptions & thread : options.threads) {
    all.push_back(thread.attributes);
  }
  return all;
}

PartExecutor unscheduled(
  const std::shared_ptr<takt_rcl::Context> & context, const Graph & graph,
  const RunOptions & options)
{
  takt_core::ExecutorOptions wanted;
  wanted.name = "executor";
  wanted.order = options.order.value_or(takt_core::Order::fifo);
  wanted.threads.resize(static_cast<std::size_t>(options.threads));
  for (std::size_t i = 0; i < wanted.threads.size(); ++i) {
    wanted.threads[i].attributes.name = fmt::format("executor.{}", i);
  }
  PartExecutor made{
    takt_rcl::Executor(context, wanted), wanted.name, wanted.order, attributes_of(wanted)};
  const CallbackTable table(graph);
  for (const Chain & chain : graph.chains) {
    takt_core::ChainOptions one;
    one.name = chain.name;
    one.path = chain.path;
    one.priority = chain.priority;
    one.deadline = chain.deadline;
    one.period = table.callbacks()[table.find(chain.path.front())].period;
    const auto status = made.executor.core().reconfigure({.more_chains = {one}});
    takt_rcl::detail::throw_faults("cannot use chain " + chain.name, status.faults());
  }
  return made;
}

takt_schedule::Schedule schedule_of(const RunOptions & options)
{
  if (options.read_schedule != nullptr) {
    return *options.read_schedule;
  }
  auto loaded = takt_schedule::load_schedule(find_shipped(options.schedule, "schedules"));
  takt_rcl::detail::throw_schedule_faults("cannot use the schedule", loaded.faults());
  return std::move(loaded.value());
}

}  // namespace

std::vector<OwnThread> PartExecutor::threads()
{
  std::vector<OwnThread> all;
  for (const takt_core::ThreadState & thread : executor.core().threads()) {
    const bool listed = thread.number < wished.size();
    all.push_back(
      {thread.tid, thread.attributes, listed ? wished[thread.number] : thread.attributes.asked});
  }
  return all;
}

bool PartExecutor::lacks_rights()
{
  if (!rights_must_be_there) {
    return false;
  }
  const auto reports = executor.core().attributes();
  return !executor.core().refusals().empty() ||
         std::any_of(reports.begin(), reports.end(), [](const takt_rt::AttributeReport & one) {
           return !one.granted_all();
         });
}

PartExecutor make_part_executor(
  const std::shared_ptr<takt_rcl::Context> & context, const Graph & graph,
  const RunOptions & options, std::uint32_t part)
{
  if (options.schedule.empty()) {
    return unscheduled(context, graph, options);
  }
  takt_schedule::Schedule schedule = schedule_of(options);
  const std::string name = executor_of_part(schedule, graph, options, part);
  if (shares_executor(schedule, graph, options, part)) {
    schedule.strict = false;  // `misfits` has checked all parts together
  }
  if (options.random_phases) {
    for (takt_schedule::ExecutorSchedule & executor : schedule.executors) {
      for (takt_schedule::CallbackRule & rule : executor.callbacks) {
        rule.offset.reset();
      }
    }
  }
  PartExecutor made{
    takt_rcl::Executor::from_schedule(context, schedule, name), name, takt_core::Order::fifo};
  made.order = made.executor.core().options().order;
  const takt_core::ExecutorOptions wanted = takt_schedule::core_options(*schedule.find(name));
  made.wished = attributes_of(wanted);
  made.rights_must_be_there = wanted.missing_rights == takt_core::MissingRights::fail;
  for (const takt_schedule::ChainSchedule & chain : schedule.chains) {
    made.chained.insert(chain.options.path.begin(), chain.options.path.end());
  }
  if (options.split == 1 && options.executor.empty() && schedule.executors.size() > 1) {
    made.note = fmt::format(
      "executor {} runs the whole graph, the first of {} in the schedule; --executor takes "
      "another, --split {} gives each a process",
      name, schedule.executors.size(), schedule.executors.size());
  }
  return made;
}

}  // namespace takt_workload
