#include "looks.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/stack.hpp"

namespace takt_watch
{
namespace
{

using Executors = std::vector<std::shared_ptr<ExecutorWatch>>;

// Executors of one process may have one name; here each has its own: "hot", "hot#2".
std::string unique_name(const std::string & name, std::set<std::string> & used)
{
  std::string unique = name;
  for (int number = 2; !used.insert(unique).second; ++number) {
    unique = name + "#" + std::to_string(number);
  }
  return unique;
}

// The rest of the process is there for the causes of alarms alone.
void without_rules(ExecutorSample & executor)
{
  for (CallbackSample & callback : executor.callbacks) {
    callback.rule = {};
  }
  for (ChainSample & chain : executor.chains) {
    chain.rule = {};
    chain.deadline.reset();
  }
  for (ThreadSample & thread : executor.threads) {
    if (thread.running) {
      thread.running->stall.reset();
    }
  }
}

// While the run goes on: later nothing of it is to be seen.
void find_stack(Alarm & alarm, const ExecutorSample & sample, const ExecutorWatch & executor)
{
  for (const ThreadSample & thread : sample.threads) {
    if (
      thread.name != alarm.thread || !thread.running || thread.running->id != alarm.callback ||
      alarm.time - thread.running->since < thread.running->stall.value_or(takt_core::kForever)) {
      continue;
    }
    alarm.stack = stack_of(thread.tid, [&] {
      const auto now = executor.running(thread.number);
      return now && now->since == thread.running->since;
    });
    return;
  }
}

}  // namespace

AlarmRules & Looks::rules_for(const takt_schedule::WatchSettings & settings)
{
  for (const Judged & one : judged_) {
    if (one.settings == settings) {
      return *one.rules;
    }
  }
  judged_.push_back({settings, std::make_unique<AlarmRules>(settings)});
  return *judged_.back().rules;
}

std::vector<Alarm> Looks::look(const Executors & executors, takt_core::Time now, bool window)
{
  Sample sample;
  sample.time = now;
  std::set<std::string> used;
  for (const auto & executor : executors) {
    sample.executors.push_back(executor->sample(now, window));
    std::string & name = sample.executors.back().name;
    name = unique_name(executor->watched().name, used);
    names_[name] = executor->watched().name;
    rules_for(executor->watched().settings);
  }
  std::vector<Alarm> alarms;
  for (const Judged & one : judged_) {
    Sample own = sample;
    for (std::size_t i = 0; i < executors.size(); ++i) {
      if (executors[i]->watched().settings != one.settings) {
        without_rules(own.executors[i]);
      }
    }
    for (Alarm & alarm : one.rules->look(own)) {
      for (std::size_t i = 0; i < executors.size(); ++i) {
        const bool stalls = alarm.kind == AlarmKind::stall && alarm.raised;
        if (stalls && sample.executors[i].name == alarm.executor) {
          find_stack(alarm, sample.executors[i], *executors[i]);
        }
      }
      alarm.executor = names_[alarm.executor];
      alarms.push_back(std::move(alarm));
    }
  }
  return alarms;
}

takt_core::Time Looks::next() const noexcept
{
  takt_core::Time next = takt_core::kNever;
  for (const Judged & one : judged_) {
    next = std::min(next, one.rules->next().value_or(takt_core::kNever));
  }
  return next;
}

}  // namespace takt_watch
