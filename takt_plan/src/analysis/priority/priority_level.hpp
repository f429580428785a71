// The level of a segment: which work of its core the kernel and its thread prefer to it.
//
// priority_bounds.hpp calls that work W. Set-up only: nothing blocks.
#ifndef TAKT_PLAN__SRC__PRIORITY_LEVEL_HPP_
#define TAKT_PLAN__SRC__PRIORITY_LEVEL_HPP_

#include <vector>

#include "model/segments.hpp"
#include "takt_plan/priority_bounds.hpp"

namespace takt_plan::detail
{

class PriorityLevel
{
public:
  /// Of a segment whose tasks are each bound to one thread, all on one core. Keeps references to the
  /// model and the segments.
  PriorityLevel(
    const Model & model, const Segments & segments, const std::vector<Index> & segment,
    const PriorityTerms & terms);

  Index core() const noexcept { return core_; }
  /// The thread of the segment's least urgent task.
  Index thread() const noexcept { return thread_; }

  /// Whether the kernel may prefer the thread to the segment's, or leave it alone.
  bool competes(const Thread & thread) const;
  bool competes(const OtherLoad & other) const;
  /// Whether a task belongs to W.
  bool contains(Index task) const;

private:
  void find_shared();
  bool may_be_here(const OtherLoad & other) const;

  const Model & model_;
  const Segments & segments_;
  const PriorityTerms terms_;
  Index core_ = kNone;
  Index thread_ = kNone;
  int urgency_ = 0;      // its OS priority
  int least_ = 0;        // the least level of the segment's tasks on it
  bool shared_ = false;  // another thread of the core has the same OS priority
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_LEVEL_HPP_
