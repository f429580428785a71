#include "more_urgent.hpp"

#include <algorithm>

#include "priority_scope.hpp"
#include "reservations.hpp"
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
          add(task, true, model.tasks[task].cost());
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
  const Ns switches = switches_by(reservation);
  if (switches == 0) {
    return;
  }
  fixed_.push_back({{{taken.period, 0}}, switches});
  preempted_ = takt_plan::add(preempted_, reservation.context_switch);
  for (const Index task : flow_.segments.tasks_of(thread)) {
    add(task, false, switches);
  }
}

void MoreUrgent::add(Index task, bool by_end, Ns cost)
{
  if (cost == 0) {
    return;
  }
  for (const Index stream : flow_.streams.of(task)) {
    takers_.push_back({task, stream, by_end, cost});
  }
  if (flow_.streams.of(task).empty()) {
    takers_.push_back({task, kNone, by_end, cost});
  }
}

Ns MoreUrgent::jitter(const Taker & taker, const Lateness & lateness) const
{
  if (taker.stream == kNone) {
    return kUnbounded;
  }
  return taker.by_end ? lateness.ended(taker.stream) : lateness.released(taker.stream);
}

void MoreUrgent::take_from(Service & service, const Lateness & lateness) const
{
  service.once = takt_plan::add(service.once, preempted_);
  service.taken.insert(service.taken.end(), fixed_.begin(), fixed_.end());
  for (const Taker & taker : takers_) {
    const Ns period = taker.stream == kNone ? 1 : flow_.streams.all()[taker.stream].period;
    service.taken.push_back({{{period, jitter(taker, lateness)}}, taker.cost});
  }
}

std::string MoreUrgent::unknown(const Lateness & lateness) const
{
  const auto found = std::find_if(takers_.begin(), takers_.end(), [&](const Taker & taker) {
    return jitter(taker, lateness) == kUnbounded;
  });
  return found == takers_.end() ? "" : takt_schedule::quoted(model_.tasks[found->task].id);
}

}  // namespace takt_plan::detail
