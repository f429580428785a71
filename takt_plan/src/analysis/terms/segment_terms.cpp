#include "analysis/terms/segment_terms.hpp"

#include <algorithm>

namespace takt_plan::detail
{
namespace
{

/// The terms of an activation in the segment's window.
BoundTerms terms_in_window(
  const PrioritySolver & solver, const SolvedWindow & solved, const Moment & moment, Ns head_start)
{
  const BusyWindow & window = solved.window.window;
  const std::vector<Index> & tasks = solved.window.tasks;
  const Shares releases = own_shares(window, moment);
  const auto own = [&](Ns before, Ns after, Ns forked) {
    return releases.releases * before + moment.number * after + (moment.number - 1) * forked;
  };
  Ns overhead = own(window.before_overhead, window.after_overhead, window.forked_overhead);
  const Ns under_way = own(window.before_under_way, window.after_under_way, 0);
  Ns work = own(window.before, window.after, window.forked) - overhead - under_way;
  work += releases.late_releases * window.before_late;
  overhead -= window.spared_overhead;
  work -= window.spared - window.spared_overhead;
  BoundTerms others;
  for (const Entry & entry : window.entries) {
    const Shares share = shares(window, entry, moment);
    const Ns late = multiply(share.late_releases, entry.late);
    const bool own_set = entry.stream != kNone &&
                         solver.streams().all()[entry.stream].set == entry.stream &&
                         std::find(tasks.begin(), tasks.end(), entry.task) != tasks.end();
    if (own_set) {
      overhead += share.releases * entry.overhead;
      work += share.releases * (entry.cost - entry.overhead) + late;
    } else {
      // The term of a reservation, or of switches to it, names the thread and no task.
      const Index task = entry.thread == kNone ? entry.task : kNone;
      add_term(
        others, {TermKind::interference, multiply(share.releases, entry.cost) + late, task,
                 entry.thread, entry.other});
    }
  }
  BoundTerms terms;
  add_term(terms, {TermKind::work, work});
  add_term(terms, {TermKind::overhead, overhead});
  const Blocking blocked = blocking(window, moment.begin);
  add_term(terms, {TermKind::blocking, blocked.time, blocked.task});
  add_term(terms, {TermKind::ceiling, window.ceiling});
  add_term(terms, {TermKind::under_way, under_way});
  add_term(terms, {TermKind::started_before, window.once + blocked.started});
  terms.insert(terms.end(), others.begin(), others.end());
  add_term(terms, {TermKind::head_start, -head_start});
  return terms;
}

}  // namespace

BoundTerms terms_from_release(
  const PrioritySolver & solver, const SolvedWindow & solved, bool leaving)
{
  const Worst & worst = solved.worst;
  const Moment & moment = leaving ? worst.leaving : worst.moment;
  return terms_in_window(
    solver, solved, moment, moment.length - (leaving ? worst.leaves : worst.response));
}

BoundTerms terms_from_activation(const PrioritySolver & solver, const SolvedWindow & solved)
{
  const Worst & worst = solved.worst;
  return terms_in_window(
    solver, solved, worst.activation, worst.activation.length - worst.from_activation);
}

}  // namespace takt_plan::detail
