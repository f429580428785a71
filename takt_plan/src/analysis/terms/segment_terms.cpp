#include "analysis/terms/segment_terms.hpp"

#include <algorithm>

namespace takt_plan::detail
{
namespace
{

/// Of the activation `number` of the part's window, `length` after the window's beginning.
BoundTerms terms_in_window(
  const PrioritySolver & solver, const SolvedWindow & solved, Ns length, Ns number, Ns head_start)
{
  const BusyWindow & window = solved.window.window;
  const std::vector<Index> & tasks = solved.window.tasks;
  const Ns releases = std::max(number, window.releases(length));
  const auto own = [&](Ns before, Ns after, Ns forked) {
    return releases * before + number * after + (number - 1) * forked;
  };
  Ns overhead = own(window.before_overhead, window.after_overhead, window.forked_overhead);
  const Ns under_way = own(window.before_under_way, window.after_under_way, 0);
  Ns work = own(window.before, window.after, window.forked) - overhead - under_way;
  overhead -= window.spared_overhead;
  work -= window.spared - window.spared_overhead;
  BoundTerms others;
  for (const Entry & entry : window.entries) {
    const Ns count = window.releases(entry, length);
    const bool own_set = entry.stream != kNone &&
                         solver.streams().all()[entry.stream].set == entry.stream &&
                         std::find(tasks.begin(), tasks.end(), entry.task) != tasks.end();
    if (own_set) {
      overhead += count * entry.overhead;
      work += count * (entry.cost - entry.overhead);
    } else {
      // A reservation, and switches to it, are the thread's.
      const Index task = entry.thread == kNone ? entry.task : kNone;
      add_term(
        others,
        {TermKind::interference, multiply(count, entry.cost), task, entry.thread, entry.other});
    }
  }
  BoundTerms terms;
  add_term(terms, {TermKind::work, work});
  add_term(terms, {TermKind::overhead, overhead});
  add_term(terms, {TermKind::blocking, window.blocking, window.blocker});
  add_term(terms, {TermKind::ceiling, window.ceiling});
  add_term(terms, {TermKind::under_way, under_way});
  add_term(terms, {TermKind::started_before, window.once});
  terms.insert(terms.end(), others.begin(), others.end());
  add_term(terms, {TermKind::head_start, -head_start});
  return terms;
}

}  // namespace

BoundTerms terms_from_release(const PrioritySolver & solver, const SolvedWindow & solved)
{
  const Worst & worst = solved.worst;
  return terms_in_window(solver, solved, worst.length, worst.number, worst.length - worst.response);
}

BoundTerms terms_from_activation(const PrioritySolver & solver, const SolvedWindow & solved)
{
  const Worst & worst = solved.worst;
  return terms_in_window(
    solver, solved, worst.activation_length, worst.activation_number,
    worst.activation_length - worst.from_activation);
}

}  // namespace takt_plan::detail
