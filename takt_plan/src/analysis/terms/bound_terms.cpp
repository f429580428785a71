#include "takt_plan/bound_terms.hpp"

#include <algorithm>
#include <numeric>

namespace takt_plan
{

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
