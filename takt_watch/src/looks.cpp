#include "looks.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "kernel/stack.hpp"
#include "takt_core/adapter/id_registry.hpp"

namespace takt_watch
{
namespace
{

using Executors = std::vector<std::shared_ptr<ExecutorWatch>>;

// Adds the stack of the stalled run to the alarm. Call it at once, because the stack is gone after
// the run.
void find_stack(Alarm & alarm, const ExecutorSample & sample, const ExecutorWatch & executor)
{
  for (const ThreadSample & thread : sample.threads) {
    if (
      thread.name != alarm.thread || !thread.running || thread.running->id != alarm.callback ||
      alarm.time - thread.running->since < thread.running->stall.value_or(takt_rt::kForever)) {
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

/// True if a thread waited for a core for a twentieth of the time since the last look.
bool Looks::somebody_waits(const Sample & sample)
{
  const takt_rt::Duration enough = (sample.time - looked_) / 20;
  std::map<std::int32_t, takt_rt::Duration> delays;
  bool waits = false;
  for (const ExecutorSample & executor : sample.executors) {
    for (const ThreadSample & thread : executor.threads) {
      const auto before = delays_.find(thread.tid);
      waits =
        waits || (before != delays_.end() && thread.run_queue_delay - before->second > enough);
      delays[thread.tid] = thread.run_queue_delay;
    }
  }
  delays_ = std::move(delays);
  looked_ = sample.time;
  return waits;
}

std::vector<Alarm> Looks::look(const Executors & executors, takt_rt::Time now, bool window)
{
  Sample sample;
  sample.time = now;
  takt_core::adapter::IdRegistry used;
  for (const auto & executor : executors) {
    sample.executors.push_back(executor->sample(now, window));
    std::string & name = sample.executors.back().name;
    name = used.claim(executor->watched().name);  // several executors of a process may share a name
    names_[name] = executor->watched().name;
  }
  std::vector<Alarm> alarms = rules_.look(sample);
  if (const std::string line = rules_.line(); !line.empty()) {
    std::fprintf(stderr, "[takt] guard: %s\n", line.c_str());
  }
  users_.look(now, somebody_waits(sample));
  for (Alarm & alarm : alarms) {
    for (std::size_t i = 0; i < executors.size(); ++i) {
      const bool stalls = alarm.kind == AlarmKind::stall && alarm.raised;
      if (stalls && sample.executors[i].name == alarm.executor) {
        find_stack(alarm, sample.executors[i], *executors[i]);
      }
    }
    alarm.executor = names_[alarm.executor];
  }
  return alarms;
}

}  // namespace takt_watch
