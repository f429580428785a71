// The level of a segment: the work of its core that the kernel and the segment's thread prefer to
// the segment. priority_bounds.hpp calls this work W.
//
// Set-up only: nothing blocks.
#ifndef TAKT_PLAN__SRC__PRIORITY_LEVEL_HPP_
#define TAKT_PLAN__SRC__PRIORITY_LEVEL_HPP_

#include <vector>

#include "model/segments.hpp"
#include "takt_plan/priority_terms.hpp"

namespace takt_plan::detail
{

class PriorityLevel
{
public:
  /// For a segment whose tasks are bound to one thread each, all on one core. Keeps references to
  /// the model and the segments.
  PriorityLevel(
    const Model & model, const Segments & segments, const std::vector<Index> & segment,
    const PriorityTerms & terms);

  Index core() const noexcept { return core_; }
  /// The thread of the segment's least urgent task.
  Index thread() const noexcept { return thread_; }

  /// True if the kernel may prefer the thread to the segment's thread, or may let it continue.
  bool competes(const Thread & thread) const;
  bool competes(const OtherLoad & other) const;
  /// True if the task belongs to W.
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
  int least_ = 0;        // the lowest level of the segment's tasks on that thread
  bool shared_ = false;  // another thread of the core has the same OS priority
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__PRIORITY_LEVEL_HPP_
