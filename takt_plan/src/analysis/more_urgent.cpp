#include "analysis/more_urgent.hpp"

#include <algorithm>

#include "analysis/deadline/reservations.hpp"
#include "analysis/priority/priority_scope.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{

MoreUrgent::MoreUrgent(
  const Model & model, const Flow & flow, Index core, int priority, Index except)
: model_(model),
  flow_(flow)
{
  for (const Index index : flow.segments.threads_on(core)) {
    const Thread & thread = model.threads[index];
    if (thread.kind == ThreadClass::deadline) {
      add_reservation(index);
    } else if (thread.kind == ThreadClass::fixed_priority && thread.priority >= priority) {
      for (const Index task : flow.segments.tasks_of(index)) {
        if (index != except) {
          add(task, kNone, model.tasks[task].cost());
        }
      }
    } else if (thread.ceiling != 0) {
      ceiling_ = std::max(ceiling_, most_middleware(model, flow.segments, index));
    }
  }
}

void MoreUrgent::add_reservation(Index thread)
{
  const Reservation & reservation = model_.threads[thread].reservation;
  const Taken taken = taken_by(reservation);
  fixed_.push_back({{{taken.period, taken.jitter}}, taken.cost});
  fixed_by_.push_back(thread);
  const Ns switches = switches_by(reservation);
  if (switches == 0) {
    return;
  }
  fixed_.push_back({{{taken.period, 0}}, switches});
  fixed_by_.push_back(thread);
  preempted_.emplace_back(thread, reservation.context_switch);
  for (const Index task : flow_.segments.tasks_of(thread)) {
    add(task, thread, switches);
  }
}

void MoreUrgent::add(Index task, Index thread, Ns cost)
{
  if (cost == 0) {
    return;
  }
  for (const Index stream : flow_.streams.of(task)) {
    runs_.push_back({task, stream, thread, cost});
  }
  if (flow_.streams.of(task).empty()) {
    runs_.push_back({task, kNone, thread, cost});
  }
}

/// A run counts until its end; for a switch only the release counts.
Ns MoreUrgent::jitter(const Run & run, const Lateness & lateness) const
{
  if (run.stream == kNone) {
    return kUnbounded;
  }
  return run.thread == kNone ? lateness.ended(run.stream) : lateness.released(run.stream);
}

void MoreUrgent::take_from(Service & service, const Lateness & lateness) const
{
  for (const auto & [thread, time] : preempted_) {
    service.once = takt_plan::add(service.once, time);
  }
  service.taken.insert(service.taken.end(), fixed_.begin(), fixed_.end());
  for (const Run & run : runs_) {
    const Ns period = run.stream == kNone ? 1 : flow_.streams.all()[run.stream].period;
    service.taken.push_back({{{period, jitter(run, lateness)}}, run.cost});
  }
}

std::vector<Taker> MoreUrgent::takers() const
{
  std::vector<Taker> takers;
  for (const Index thread : fixed_by_) {
    takers.push_back({kNone, thread, kNone});
  }
  for (const Run & run : runs_) {
    takers.push_back({run.thread == kNone ? run.task : kNone, run.thread, kNone});
  }
  return takers;
}

std::string MoreUrgent::unknown(const Lateness & lateness) const
{
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const Run & run) {
    return jitter(run, lateness) == kUnbounded;
  });
  return found == runs_.end() ? "" : takt_schedule::quoted(model_.tasks[found->task].id);
}

}  // namespace takt_plan::detail
