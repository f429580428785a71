#include "takt_plan/bound_terms.hpp"

#include <algorithm>
#include <numeric>

namespace takt_plan
{

std::string_view to_string(TermKind kind) noexcept
{
  switch (kind) {
    case TermKind::work:
      return "work";
    case TermKind::overhead:
      return "overhead";
    case TermKind::activations:
      return "activations";
    case TermKind::same_thread:
      return "same_thread";
    case TermKind::blocking:
      return "blocking";
    case TermKind::interference:
      return "interference";
    case TermKind::ceiling:
      return "ceiling";
    case TermKind::under_way:
      return "under_way";
    case TermKind::started_before:
      return "started_before";
    case TermKind::reservation:
      return "reservation";
    case TermKind::switches:
      return "switches";
    case TermKind::parked:
      return "parked";
    case TermKind::threads_busy:
      return "threads_busy";
    case TermKind::waking:
      return "waking";
    case TermKind::not_before:
      return "not_before";
    case TermKind::any_phase:
      return "any_phase";
    case TermKind::head_start:
      break;
  }
  return "head_start";
}

void add_term(BoundTerms & terms, const BoundTerm & term)
{
  if (term.time == 0) {
    return;
  }
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const BoundTerm & known) {
    return known.kind == term.kind && known.task == term.task && known.thread == term.thread &&
           known.other == term.other;
  });
  if (found == terms.end()) {
    terms.push_back(term);
  } else {
    found->time += term.time;
    found->jobs.insert(found->jobs.end(), term.jobs.begin(), term.jobs.end());
  }
}

Ns sum_of(const BoundTerms & terms)
{
  return std::accumulate(terms.begin(), terms.end(), Ns{0}, [](Ns sum, const BoundTerm & term) {
    return sum + term.time;
  });
}

std::size_t size_of(const BoundTerms & terms)
{
  std::size_t size = 0;
  for (const BoundTerm & term : terms) {
    size += 1 + term.jobs.size();
    for (const BusyWork & work : term.busy) {
      size += 1 + work.tasks.size();
    }
  }
  return size;
}

}  // namespace takt_plan
