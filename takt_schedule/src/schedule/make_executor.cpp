#include "takt_schedule/make_executor.hpp"

#include "takt_schedule/core_options.hpp"
#include "takt_schedule/fallback.hpp"
#include "takt_schedule/reader/text.hpp"

namespace takt_schedule
{

using takt_core::Executor;
using takt_rt::Faults;
using takt_rt::Result;

Result<const ExecutorSchedule *> find_executor(
  const Schedule & schedule, std::string_view executor_name)
{
  if (const ExecutorSchedule * found = schedule.find(executor_name)) {
    return found;
  }
  std::vector<std::string> known;
  for (const ExecutorSchedule & executor : schedule.executors) {
    known.push_back(executor.name);
  }
  const std::string what =
    "no executor " + quoted(executor_name) + suggestion(executor_name, known, "executors");
  // The fault points at the first executor.
  return Faults{
    schedule.executors.empty() || schedule.executors.front().source.line == 0
      ? takt_rt::Fault(schedule.file + ": " + what)
      : located(schedule.file, schedule.executors.front().source, what)};
}

WithFallbacks with_fallbacks(const ExecutorSchedule & executor, takt_rt::AttributeSetter * setter)
{
  if (setter == nullptr) {
    return with_fallbacks(executor);
  }
  return with_fallbacks(executor, [setter](const takt_rt::ThreadAttributes & attributes) {
    return setter->refusals(attributes).empty();
  });
}

Schedule with_fallbacks(
  Schedule schedule, std::string_view executor_name, takt_rt::AttributeSetter * setter)
{
  for (ExecutorSchedule & executor : schedule.executors) {
    if (executor.name == executor_name) {
      executor = with_fallbacks(executor, setter).executor;
    }
  }
  return schedule;
}

Result<std::unique_ptr<Executor>> make_executor(
  const Schedule & schedule, std::string_view executor_name, Faults * notes,
  std::shared_ptr<takt_rt::AttributeSetter> setter)
{
  const auto found = find_executor(schedule, executor_name);
  if (!found) {
    return found.faults();
  }
  WithFallbacks chosen = with_fallbacks(*found.value(), setter.get());
  if (notes != nullptr) {
    notes->insert(notes->end(), chosen.used.begin(), chosen.used.end());
  }
  Faults faults;
  takt_core::ExecutorOptions options = core_options(chosen.executor);
  options.setter = std::move(setter);
  auto executor = Executor::create(std::move(options));
  for (const takt_rt::Fault & fault : executor.faults()) {
    faults.push_back(located(schedule.file, found.value()->source, fault));
  }
  for (const ChainSchedule & chain : schedule.chains) {
    if (!executor) {
      break;
    }
    const auto set = executor.value()->reconfigure({.more_chains = {chain.options}});
    for (const takt_rt::Fault & fault : set.faults()) {
      faults.push_back(located(schedule.file, chain.source, fault));
    }
  }
  if (!faults.empty()) {
    return faults;
  }
  return executor;
}

}  // namespace takt_schedule
