// What a bound is the sum of: what takes time, by whom, and how much.
//
// Terms are found after the solution, from the equations that gave it, and add up to it exactly.
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

/// In the order in which they are shown.
enum class TermKind
{
  work,         ///< of the part's own tasks; of a segment of fixed priorities with what else they
                ///< start there, and for all activations that count
  overhead,     ///< dispatch, switches and middleware of the same
  activations,  ///< other ones of `task`, which is the part's own
  blocking,     ///< `task`, less urgent on the same thread, had begun
  ceiling,      ///< a less urgent thread publishes at the middleware ceiling
  under_way,    ///< messages within a segment, and less urgent work that begins meanwhile
  started_before,  ///< work that less urgent tasks of the core had started
  same_thread,     ///< `task`, on the same thread of order `window` or policy deadline
  parked,          ///< by members of its exclusive group: `task`, or less urgent ones
  threads_busy,    ///< all threads that may run it are: see `busy`
  waking,          ///< threads of a pool wake each other
  interference,    ///< of what is preferred to it: `task`, `thread` or `other`
  reservation,     ///< its thread waits for the time that it reserves
  switches,        ///< to its thread of policy deadline, beyond one per run
  not_before,      ///< it counts as ended no earlier than what starts it
  any_phase,       ///< all that analyses without phases count, where those with phases find no end
  head_start       ///< below zero: what is counted began before its release
};

/// Its name above.
std::string_view to_string(TermKind kind) noexcept;

/// Work on the threads of a pool while all of them are busy.
struct BusyWork
{
  std::vector<Index> tasks;  ///< one, or of one exclusive group; none if it had begun
  bool had_begun = false;    ///< work that goes before for that alone, whosever it is
  Ns time = 0;
};

/// A job that a bound of job windows counts, by when it is released: from the instant that timers' offsets count from.
struct CountedJob
{
  Ns earliest = 0;
  Ns latest = 0;
  friend auto operator<=>(const CountedJob &, const CountedJob &) = default;
};

struct BoundTerm
{
  TermKind kind = TermKind::work;
  Ns time = 0;
  // By whom, where one of these says it.
  Index task = kNone;
  Index thread = kNone;  ///< of policy deadline: its reservation, and switches to and from it
  Index other = kNone;   ///< of Model::others
  /// Of `threads_busy`: `time` is the sum of these over `threads`, rounded down.
  std::vector<BusyWork> busy = {};
  Index threads = 0;
  /// Of `task`, with known phases: the runs that count.
  std::vector<CountedJob> jobs = {};
};

using BoundTerms = std::vector<BoundTerm>;

/// With so many terms in one answer, chains that are less important than those that have them get none:
/// on a core with thousands of callbacks each bound has thousands of terms.
inline constexpr std::size_t kMostTerms = 500'000;

/// Adds to the term of the same kind by the same, with its jobs, or a new one; nothing if it takes no time.
void add_term(BoundTerms & terms, const BoundTerm & term);

Ns sum_of(const BoundTerms & terms);

/// How many terms, with jobs, and the work on busy threads and its tasks.
std::size_t size_of(const BoundTerms & terms);

}  // namespace takt_plan

#endif  // TAKT_PLAN__BOUND_TERMS_HPP_
