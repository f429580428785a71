// The place of each task on its core, and the tasks that run right after each other.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SEGMENTS_HPP_
#define TAKT_PLAN__SRC__SEGMENTS_HPP_

#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The analysis of messages between tasks of one core that are under way for a while (Link::delay),
/// as between processes.
enum class UnderWay
{
  between_segments,  ///< a segment ends with the sender; the message releases the next segment with
                     ///< jitter
  in_segments        ///< the receiver goes on with the sender's segment
};

class Segments
{
public:
  struct Next
  {
    Index task = kNone;
    Ns delay = 0;
    Index link = kNone;  ///< position among the task's triggers
  };

  /// `order`: all tasks in the order of in_trigger_order(model). Keeps a reference to the model.
  Segments(const Model & model, const std::vector<Index> & order, UnderWay under_way);

  /// The only thread that may run the task; kNone if there are several.
  Index thread(Index task) const noexcept { return thread_[task]; }
  /// The only core on which the task may run. kNone if there are several, and for a thread of
  /// policy deadline, whose reservation interrupts its runs.
  Index core(Index task) const noexcept { return core_[task]; }

  /// The rank of the task among those of its thread.
  int level(Index task) const noexcept { return level_[task]; }

  /// True if the link's message comes from a task on the same core, is seen at the end of the
  /// sender's run (with `in_segments`: its delay later), and starts the task by itself. False if
  /// the sender is on a thread of order `window` that is not more urgent, because the analysis of
  /// that thread ends with its tasks. Each message of a set of newest messages starts a run that
  /// keeps it.
  bool local(const Link & link, Index task) const;
  /// `some_local`: at least one link of the task is local. `only_local`: each link is local, and no
  /// other source starts the task.
  bool some_local(Index task) const noexcept { return some_local_[task]; }
  bool only_local(Index task) const noexcept { return only_local_[task]; }
  /// Tasks that the end of a run starts on the same core, one entry for each local link.
  const std::vector<Next> & next(Index task) const noexcept { return next_[task]; }
  /// True if some local link has a delay.
  bool any_under_way() const noexcept { return any_under_way_; }

  /// All tasks that may run on a core, in trigger order.
  const std::vector<Index> & on(Index core) const noexcept { return on_[core]; }
  /// All threads with tasks that may use the core.
  const std::vector<Index> & threads_on(Index core) const noexcept { return threads_on_[core]; }
  const std::vector<Index> & tasks_of(Index thread) const noexcept { return tasks_of_[thread]; }

  /// True if the task is in an exclusive group with a task that another thread may run.
  bool spanned(Index task) const noexcept { return spanned_[task]; }

private:
  void find_places(const std::vector<Index> & order);
  void find_spanned();
  bool parts(Index from, Index task) const;
  bool waits_on_core(const Link & link, Index task) const;

  const Model & model_;
  const UnderWay under_way_;
  bool any_under_way_ = false;
  std::vector<Index> thread_;
  std::vector<Index> core_;
  std::vector<int> level_;
  std::vector<char> some_local_;
  std::vector<char> only_local_;
  std::vector<std::vector<Next>> next_;
  std::vector<std::vector<Index>> on_;
  std::vector<std::vector<Index>> threads_on_;
  std::vector<std::vector<Index>> tasks_of_;
  std::vector<char> spanned_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SEGMENTS_HPP_
