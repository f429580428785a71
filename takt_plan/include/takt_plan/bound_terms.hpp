// The terms that a bound is the sum of. Each term has its kind, its time, and the task or thread
// that causes it.
//
// The analysis finds the terms after it has solved the equations. They add up to the bound exactly.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__BOUND_TERMS_HPP_
#define TAKT_PLAN__BOUND_TERMS_HPP_

#include <cstddef>
#include <string_view>
#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan
{

/// Programs show the terms in this order.
enum class TermKind
{
  work,         ///< of the part's own tasks; of a segment of fixed priorities also the work that
                ///< these start there. Counts all activations in the window
  overhead,     ///< dispatch, context switches and middleware of this work
  activations,  ///< other activations of `task`, which belongs to the part
  blocking,     ///< a run of `task`, less urgent on the same thread, had begun
  ceiling,      ///< a less urgent thread publishes at the middleware ceiling
  under_way,    ///< messages are under way within a segment, and less urgent work begins meanwhile
  started_before,  ///< work that less urgent tasks of the core had started
  same_thread,     ///< `task`, on the same thread of order `window` or policy deadline
  parked,          ///< members of the exclusive group run: `task`, or less urgent members
  threads_busy,    ///< all threads that may run the task are busy: see `busy`
  cores_busy,      ///< all cores that a thread of the task may use are busy: see `busy`
  waking,          ///< threads of a pool wake each other
  interference,    ///< `task`, `thread` or `other` is preferred
  reservation,     ///< the thread waits for the next period of its reservation
  /// Switches to the thread of policy deadline, beyond one for each run. With known phases: to a
  /// thread of several cores or of a pool, beyond two for each run.
  switches,
  not_before,  ///< the part counts as ended no earlier than the task that starts it
  other_runs,  ///< of other callbacks, in the worst of all orders in which runs may begin
  any_phase,   ///< the whole bound of an analysis without phases, where the analysis with
               ///< phases finds no bound
  head_start   ///< below zero: some counted work began before the part's release
};

/// The name of the enumerator.
constexpr std::string_view to_string(TermKind kind) noexcept
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
    case TermKind::cores_busy:
      return "cores_busy";
    case TermKind::waking:
      return "waking";
    case TermKind::not_before:
      return "not_before";
    case TermKind::other_runs:
      return "other_runs";
    case TermKind::any_phase:
      return "any_phase";
    case TermKind::head_start:
      break;
  }
  return "head_start";
}

/// Work on threads of a pool, or on cores, while all of these are busy.
struct BusyWork
{
  /// One task, or those of one exclusive group, of one thread, or of a pool that has too few
  /// threads to run all of them at once. Empty for work that had begun.
  std::vector<Index> tasks;
  bool had_begun = false;  ///< the work goes first only because it had begun; `tasks` may be any
  Ns time = 0;
};

/// A job that a bound of job windows counts, with its release. Times count from the instant from
/// which timers' offsets count.
struct CountedJob
{
  Ns earliest = 0;
  Ns latest = 0;
  friend auto operator<=>(const CountedJob &, const CountedJob &) = default;
};

/// One term of a bound.
struct BoundTerm
{
  TermKind kind = TermKind::work;
  Ns time = 0;
  // The task or thread that causes the term, for kinds that have one.
  Index task = kNone;
  Index thread = kNone;  ///< of policy deadline: its reservation, and switches to and from it
  Index other = kNone;   ///< position in Model::others
  /// For `threads_busy` and `cores_busy`: `time` is the sum of these parts over `threads`, the
  /// number of threads or cores, rounded down.
  std::vector<BusyWork> busy = {};
  Index threads = 0;
  /// With known phases: the runs of `task` that count.
  std::vector<CountedJob> jobs = {};
};

using BoundTerms = std::vector<BoundTerm>;

/// Limit of terms in one answer. Less important chains beyond it get no terms: on a core with
/// thousands of callbacks each bound has thousands of terms.
inline constexpr std::size_t kMostTerms = 500'000;

/// Adds the time and jobs to the term of the same kind and cause, or adds a new term. Ignores a
/// term without time.
void add_term(BoundTerms & terms, const BoundTerm & term);

/// The sum of the terms in ns.
Ns sum_of(const BoundTerms & terms);

/// The number of terms, of their jobs, of their parts in `busy`, and of the tasks of these parts.
std::size_t size_of(const BoundTerms & terms);

}  // namespace takt_plan

#endif  // TAKT_PLAN__BOUND_TERMS_HPP_
