// The work that precedes an OS priority on one core, and the time that it takes in an interval: the
// terms of thread_service.hpp.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__MORE_URGENT_HPP_
#define TAKT_PLAN__SRC__MORE_URGENT_HPP_

#include <string>
#include <utility>
#include <vector>

#include "analysis/local_analysis.hpp"
#include "model/flow.hpp"
#include "takt_plan/executor_bounds.hpp"

namespace takt_plan::detail
{

/// The task, thread or other load that takes time: one of these.
struct Taker
{
  Index task = kNone;
  Index thread = kNone;  ///< of policy deadline: its reservation, and switches
  Index other = kNone;   ///< position in Model::others
};

class MoreUrgent
{
public:
  /// The threads of fixed priority that are as urgent or more, except `except`; the threads of
  /// policy deadline; and the ceilings of less urgent threads. Keeps references to the model and
  /// the flow.
  MoreUrgent(const Model & model, const Flow & flow, Index core, int priority, Index except);

  /// Adds the taken time to a service.
  void take_from(Service & service, const Lateness & lateness) const;
  /// The cause of each demand that `take_from` adds.
  std::vector<Taker> takers() const;
  /// Per thread of policy deadline: the time that is taken once because it was preempted before.
  const std::vector<std::pair<Index, Ns>> & preempted() const noexcept { return preempted_; }

  /// The first task whose time has no bound, quoted; empty: all have one.
  std::string unknown(const Lateness & lateness) const;

  Ns ceiling() const noexcept { return ceiling_; }

private:
  struct Run
  {
    Index task = kNone;
    Index stream = kNone;  // kNone: the task has too many ways
    Index thread = kNone;  // of policy deadline; counts only switches to it
    Ns cost = 0;
  };
  void add_reservation(Index thread);
  void add(Index task, Index thread, Ns cost);
  Ns jitter(const Run & run, const Lateness & lateness) const;

  const Model & model_;
  const Flow & flow_;
  std::vector<Demand> fixed_;
  std::vector<Index> fixed_by_;  // threads of policy deadline
  std::vector<Run> runs_;
  std::vector<std::pair<Index, Ns>> preempted_;
  Ns ceiling_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__MORE_URGENT_HPP_
