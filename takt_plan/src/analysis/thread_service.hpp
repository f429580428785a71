// The least time that a thread gets of its core while it has work, as a service for
// executor_bounds.hpp.
//
// A thread of fixed priority on one core (`window`): the core, less
//
// - the tasks of threads that are as urgent or more. A run by a stream of period T whose runs end
//   at most E after their nominal releases takes time in an interval [a, a + t) only if it was
//   nominally released after a - E and before a + t. These are at most ceil((t + E) / T), each
//   taking at most its cost. E comes from the analysis that covers the task; it is a premise as
//   every lateness is (local_analysis.hpp), also between threads of equal priority, which delay
//   each other. This may count too much, because work that had begun before the interval counts in
//   full.
// - threads outside of executors that are as urgent or more: likewise. Their E comes from the
//   core's busy window of all work that is as urgent as they are, at whose beginning none of them
//   is pending.
// - one publish or take at the middleware ceiling, by a less urgent thread of the core: it can only
//   have begun before the interval, because within the interval more urgent work is always ready.
//   Of several such threads only one had the core.
// - the time of threads of policy deadline, as reservations.hpp says.
//
// A thread of policy deadline: its reservation, less its further switches, as reservations.hpp
// says.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__THREAD_SERVICE_HPP_
#define TAKT_PLAN__SRC__THREAD_SERVICE_HPP_

#include <string>
#include <vector>

#include "analysis/limits.hpp"
#include "analysis/local_analysis.hpp"
#include "analysis/more_urgent.hpp"
#include "model/flow.hpp"
#include "takt_plan/bound_terms.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

class ThreadService
{
public:
  /// `kind`: window or deadline. Keeps references to the model and the flow.
  ThreadService(
    const Model & model, const Flow & flow, Index thread, Analysis kind, const ThreadTerms & terms);

  /// The reason why the service is not known. The sentence goes on from the thread's name. Empty:
  /// `given` is right.
  const std::string & refusal() const noexcept { return refusal_; }

  /// The service by the lateness so far. It becomes less as `lateness` rises.
  Service given(const Lateness & lateness);

  /// The terms of an interval of `length`, in which the thread has `work` to do, that are not the
  /// thread's own, by the service that `given` found.
  BoundTerms terms(const Service & given, Ns length, Ns work) const;

  /// The first task that takes the core from the thread without a bound, quoted, as far as `given`
  /// saw; empty: none.
  const std::string & unknown() const noexcept { return unknown_; }

private:
  std::string refuse_fixed() const;
  std::string refuse_beside(const Thread & thread, Index index) const;
  bool on_core(const OtherLoad & other) const;
  void find_fixed();
  Service fixed(const Lateness & lateness);
  Service reserved(const Lateness & lateness) const;
  std::vector<Taker> takers() const;
  Ns end_of(Index other, const MoreUrgent & before_it, const Lateness & lateness);

  const Model & model_;
  const Flow & flow_;
  const Index thread_;
  const Analysis kind_;
  const ThreadTerms terms_;
  const Ns horizon_;
  std::string refusal_;
  std::string unknown_;
  std::vector<MoreUrgent> before_;  // the work that goes before the thread: one entry or none
  struct Other
  {
    Index index = kNone;  // position in Model::others
    MoreUrgent before;    // goes before it
  };
  std::vector<Other> others_;
  Steps steps_;  // for those
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__THREAD_SERVICE_HPP_
