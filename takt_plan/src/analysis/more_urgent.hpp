// What goes before an OS priority on one core, and how much of it that takes in any interval: the
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

/// Who takes time: one of these.
struct Taker
{
  Index task = kNone;
  Index thread = kNone;  ///< of policy deadline: its reservation, and switches
  Index other = kNone;   ///< of Model::others
};

class MoreUrgent
{
public:
  /// Threads of fixed priority that are as urgent or more, but for `except`, those of policy
  /// deadline, and what less urgent ones do at the ceiling. Keeps references to the model and the
  /// flow.
  MoreUrgent(const Model & model, const Flow & flow, Index core, int priority, Index except);

  /// Adds what is taken to a service.
  void take_from(Service & service, const Lateness & lateness) const;
  /// By whom: one for each demand that `take_from` adds.
  std::vector<Taker> takers() const;
  /// What is taken once because a thread of policy deadline was preempted before, by thread.
  const std::vector<std::pair<Index, Ns>> & preempted() const noexcept { return preempted_; }

  /// The first task of them whose time has no bound, quoted; empty: all have one.
  std::string unknown(const Lateness & lateness) const;

  Ns ceiling() const noexcept { return ceiling_; }

private:
  struct Run
  {
    Index task = kNone;
    Index stream = kNone;  // none: too many to tell apart
    Index thread = kNone;  // of policy deadline: only switches to it
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
