// spin_once and spin_some: callbacks on the calling thread, which visits every thread set.
#include <algorithm>

#include "executor/executor_impl.hpp"
#include "takt_rt/futex.hpp"

namespace takt_core
{

using takt_rt::add_saturated;
using takt_rt::futex_wait;
using takt_rt::now;

// Begins the visit in all present crews: a callback of the visit may isolate a group, whose crew
// only the next visit finds.
Crew * Executor::Impl::begin_visit(Time begin)
{
  Crew * const head = crews.load(std::memory_order_acquire);
  if (phases != nullptr) {
    phases->begin(begin, Phases::Begins::once);
  }
  for_each_crew(head, [&](Crew & crew) { crew.scheduler.open(begin); });
  return head;
}

// The crew that executes `run`; null: no callback is ready. Each search begins behind the crew
// found last, so that a crew that is always ready does not block the others.
Crew * Executor::Impl::visit(Crew * head, Time now, Run & run)
{
  const auto look = [&](Crew & crew) {
    Scheduler & scheduler = crew.scheduler;
    if (!scheduler.next(scheduler.visitor(), now, run, crew.visit_ends)) {
      return false;
    }
    run.thread = main.size();
    return true;
  };
  if (head == nullptr) {
    return look(main) ? &main : nullptr;
  }
  Crew * const begin = visit_next;  // null: the main crew, which follows the last isolated one
  Crew * at = begin;
  do {
    Crew & crew = at == nullptr ? main : *at;
    at = at == nullptr ? head : at->next;
    if (look(crew)) {
      visit_next = at;
      return &crew;
    }
  } while (at != begin);
  return nullptr;
}

void Executor::Impl::sleep(Crew * head, Time now, Time until)
{
  Time wake_at = until;
  bool idle = true;
  for_each_crew(head, [&](Crew & crew) {
    Time own = kNever;
    crew.visitor_sleeps = idle && crew.scheduler.begin_idle(crew.scheduler.visitor(), now, own);
    idle = crew.visitor_sleeps;
    wake_at = std::min(wake_at, own);
  });
  bool has_words = false;
  for_each_crew(head, [&](Crew & crew) { has_words = has_words || !crew.words.empty(); });
  if (idle && !cancelled() && !has_words) {
    futex_wait(visitor.wake, 0, wake_at);
  } else if (idle && !cancelled()) {
    SleepWords words(visitor.wake);
    bool unchanged = true;
    for_each_crew(head, [&](Crew & crew) {
      unchanged = crew.words.collect(crew.scheduler.visitor(), words) && unchanged;
    });
    if (unchanged) {
      words.sleep(wake_at);
    }
    for_each_crew(head, [](Crew & crew) { crew.words.awake(crew.scheduler.visitor()); });
  }
  visitor.wake.store(0, std::memory_order_seq_cst);
  for_each_crew(head, [](Crew & crew) {
    if (crew.visitor_sleeps) {
      crew.scheduler.end_idle(crew.scheduler.visitor());
    }
  });
}

void Executor::Impl::look_at_words(Crew * head)
{
  for_each_crew(head, [](Crew & crew) { crew.words.look(crew.scheduler.visitor()); });
}

void Executor::Impl::end_visit(Crew * head)
{
  for_each_crew(head, [](Crew & crew) {
    crew.visit_ends = UINT64_MAX;
    crew.scheduler.leave(crew.scheduler.visitor());
  });
}

SpinOutcome Executor::spin_once(Duration timeout, bool * ran)
{
  Impl & impl = *impl_;
  if (ran != nullptr) {
    *ran = false;
  }
  Impl::Use none = Impl::Use::none;
  if (!impl.use.compare_exchange_strong(none, Impl::Use::visitor)) {
    return {{impl.options.name + ": already spinning"}, nullptr, false};
  }
  const Time begin = now();
  const Time until = timeout < Duration::zero() ? kNever : add_saturated(begin, timeout);

  Crew * const crews = impl.begin_visit(begin);
  Run run;
  while (!impl.cancelled()) {
    const Time t = now();
    impl.look_at_words(crews);
    Crew * const found = impl.visit(crews, t, run);
    if (found != nullptr) {
      impl.execute(*found, run);
      if (ran != nullptr) {
        *ran = true;
      }
      break;
    }
    if (t >= until) {
      break;
    }
    impl.sleep(crews, t, until);
  }
  impl.end_visit(crews);
  const bool cancelled = impl.cancel.exchange(0) != 0;
  SpinOutcome outcome{{}, impl.take_exception(), cancelled};
  impl.use.store(Impl::Use::none);
  impl.reap();
  return outcome;
}

SpinOutcome Executor::spin_some(Duration limit, std::size_t * ran)
{
  Impl & impl = *impl_;
  if (ran != nullptr) {
    *ran = 0;
  }
  Impl::Use none = Impl::Use::none;
  if (!impl.use.compare_exchange_strong(none, Impl::Use::visitor)) {
    return {{impl.options.name + ": already spinning"}, nullptr, false};
  }
  const Time begin = now();
  const Time until = limit == Duration::zero() ? kNever : add_saturated(begin, limit);

  Crew * const crews = impl.begin_visit(begin);
  impl.look_at_words(crews);
  impl.for_each_crew(
    crews, [&](Crew & crew) { crew.visit_ends = crew.scheduler.begin_visit(begin); });
  Run run;
  while (!impl.cancelled()) {
    Crew * const found = impl.visit(crews, now(), run);
    if (found == nullptr) {
      break;
    }
    impl.execute(*found, run);
    if (ran != nullptr) {
      ++*ran;
    }
    if (until != kNever && now() >= until) {
      break;
    }
  }
  impl.for_each_crew(crews, [](Crew & crew) { crew.scheduler.release_held(); });
  impl.end_visit(crews);
  const bool cancelled = impl.cancel.exchange(0) != 0;
  SpinOutcome outcome{{}, impl.take_exception(), cancelled};
  impl.use.store(Impl::Use::none);
  impl.reap();
  return outcome;
}

}  // namespace takt_core
