#include "analysis/thread_service.hpp"

#include <algorithm>
#include <utility>

#include "analysis/deadline/reservations.hpp"
#include "analysis/priority/priority_scope.hpp"
#include "analysis/window/round_robin.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_schedule::quoted;

Demand load(const OtherLoad & other, Ns jitter)
{
  return {{{other.period, jitter}}, other.time};
}

}  // namespace

ThreadService::ThreadService(
  const Model & model, const Flow & flow, Index thread, Analysis kind, const ThreadTerms & terms)
: model_(model),
  flow_(flow),
  thread_(thread),
  kind_(kind),
  terms_(terms),
  horizon_(detail::horizon(model, 0)),
  steps_(model.others.size())
{
  if (kind != Analysis::deadline) {
    refusal_ = refuse_fixed();
    if (refusal_.empty()) {
      find_fixed();
    }
  } else if (model.threads[thread].follow) {
    refusal_ = "it follows its callbacks' priorities, which its policy does not know";
  } else {
    refusal_ = refuse_reservation(model, thread);
  }
}

std::string ThreadService::refuse_fixed() const
{
  const Thread & own = model_.threads[thread_];
  if (own.kind != ThreadClass::fixed_priority || own.follow || own.cores.size() != 1) {
    return "this analysis needs policy fifo or rr, a fixed OS priority and one core";
  }
  const std::string takes = " may take " + model_.core_name(own.cores.front()) + " from it: ";
  for (const Index index : flow_.segments.threads_on(own.cores.front())) {
    const Thread & thread = model_.threads[index];
    const std::string why = index == thread_ ? "" : refuse_beside(thread, index);
    if (!why.empty()) {
      return "thread " + quoted(thread.name) + takes + why;
    }
  }
  for (const OtherLoad & other : model_.others) {
    if (on_core(other) && other.priority >= own.priority && other.cores.size() > 1) {
      return "thread " + quoted(other.name) + takes + "it may be on other cores as well";
    }
  }
  return {};
}

std::string ThreadService::refuse_beside(const Thread & thread, Index index) const
{
  if (thread.kind == ThreadClass::deadline) {
    return refuse_reservation(model_, index);
  }
  if (thread.follow) {
    return "it follows its callbacks' priorities";
  }
  const bool disturbs = thread.kind == ThreadClass::fixed_priority &&
                        thread.priority >= model_.threads[thread_].priority;
  const bool raised = thread.ceiling != 0 && most_middleware(model_, flow_.segments, index) > 0;
  return (disturbs || raised) && thread.cores.size() != 1 ? "it may be on other cores as well" : "";
}

bool ThreadService::on_core(const OtherLoad & other) const
{
  const Index core = model_.threads[thread_].cores.front();
  return std::find(other.cores.begin(), other.cores.end(), core) != other.cores.end();
}

void ThreadService::find_fixed()
{
  const Thread & own = model_.threads[thread_];
  const Index core = own.cores.front();
  before_.emplace_back(model_, flow_, core, own.priority, thread_);
  for (Index i = 0; i < model_.others.size(); ++i) {
    const OtherLoad & other = model_.others[i];
    if (on_core(other) && other.priority >= own.priority) {
      others_.push_back({i, MoreUrgent(model_, flow_, core, other.priority, kNone)});
    }
  }
}

Service ThreadService::given(const Lateness & lateness)
{
  return kind_ == Analysis::deadline ? reserved(lateness) : fixed(lateness);
}

Service ThreadService::fixed(const Lateness & lateness)
{
  Service service = Supply::dedicated();
  service.once = terms_.ceiling ? before_.front().ceiling() : 0;
  if (!terms_.preemption) {
    return service;
  }
  before_.front().take_from(service, lateness);
  unknown_ = before_.front().unknown(lateness);
  for (const Other & other : others_) {
    const Ns end = end_of(other.index, other.before, lateness);
    service.taken.push_back(load(model_.others[other.index], end));
    if (end == kUnbounded && unknown_.empty()) {
      unknown_ = "thread " + quoted(model_.others[other.index].name);
    }
  }
  return service;
}

// The time from its release to its end, which all work of `before_it` may delay.
Ns ThreadService::end_of(Index index, const MoreUrgent & before_it, const Lateness & lateness)
{
  const OtherLoad & own = model_.others[index];
  Service service = Supply::dedicated();
  service.once = before_it.ceiling();
  before_it.take_from(service, lateness);
  for (const OtherLoad & other : model_.others) {
    if (&other != &own && on_core(other) && other.priority >= own.priority) {
      // On several cores it may bring work that waited on another core.
      service.taken.push_back(load(other, other.cores.size() > 1 ? other.period : 0));
    }
  }
  return nonpreemptive_bound(service, load(own, 0), {}, 0, horizon_, steps_);
}

Service ThreadService::reserved(const Lateness & lateness) const
{
  const Thread & own = model_.threads[thread_];
  const Reservation & asked = own.reservation;
  Service service = Supply::dedicated();
  if (terms_.supply) {
    service.supply = Supply::constrained(asked.runtime, asked.deadline, asked.period);
  }
  const Ns cost = asked.context_switch;
  if (cost == 0 || !terms_.switches) {
    return service;
  }
  service.once = cost;
  for (Index index = 0; index < model_.threads.size(); ++index) {
    const Thread & thread = model_.threads[index];
    if (thread.kind != ThreadClass::deadline || !share_a_core(own, thread)) {
      continue;
    }
    service.taken.push_back({{{thread.reservation.period, 0}}, cost});
    for (const Index task : flow_.segments.tasks_of(index)) {
      if (index == thread_) {
        continue;
      }
      Demand wakes;
      wakes.cost = cost;
      for (const Index stream : flow_.streams.of(task)) {
        wakes.arrivals.push_back({flow_.streams.all()[stream].period, lateness.released(stream)});
      }
      if (wakes.arrivals.empty()) {  // too many ways to count
        wakes.arrivals.push_back({1, kUnbounded});
      }
      service.taken.push_back(std::move(wakes));
    }
  }
  return service;
}

/// The cause of each demand that `fixed` takes.
std::vector<Taker> ThreadService::takers() const
{
  std::vector<Taker> takers = before_.front().takers();
  for (const Other & other : others_) {
    takers.push_back({kNone, kNone, other.index});
  }
  return takers;
}

BoundTerms ThreadService::terms(const Service & given, Ns length, Ns work) const
{
  BoundTerms terms;
  const Ns taken = given.taken_in(length);
  if (kind_ == Analysis::deadline) {
    add_term(terms, {TermKind::switches, taken});
    add_term(terms, {TermKind::reservation, length - work - taken});
    return terms;
  }
  add_term(terms, {TermKind::ceiling, terms_.ceiling ? before_.front().ceiling() : 0});
  if (given.taken.empty()) {
    return terms;
  }
  const std::vector<Taker> by = takers();
  for (std::size_t i = 0; i < by.size(); ++i) {
    add_term(
      terms,
      {TermKind::interference, given.taken[i].work(length), by[i].task, by[i].thread, by[i].other});
  }
  for (const auto & [thread, time] : before_.front().preempted()) {
    add_term(terms, {TermKind::interference, time, kNone, thread});
  }
  return terms;
}

}  // namespace takt_plan::detail
