// How tasks hang together on one core: where each is pinned, and which run right after each other.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SEGMENTS_HPP_
#define TAKT_PLAN__SRC__SEGMENTS_HPP_

#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// Messages that are under way for a while (Link::delay) between tasks of one core, as between processes.
enum class UnderWay
{
  between_segments,  ///< a segment ends with the sender; the message releases the next one with jitter
  in_segments        ///< the receiver goes on with the sender's segment
};

class Segments
{
public:
  struct Next
  {
    Index task = kNone;
    Ns delay = 0;
    Index link = kNone;  ///< of its triggers
  };

  /// `order`: in_trigger_order(model), complete. Keeps a reference to the model.
  Segments(const Model & model, const std::vector<Index> & order, UnderWay under_way);

  /// The one thread that runs the task; none if there are several.
  Index thread(Index task) const noexcept { return thread_[task]; }
  /// The one core that the task runs on; none if there may be several, and none of a thread of
  /// policy deadline, whose runs its reservation cuts.
  Index core(Index task) const noexcept { return core_[task]; }

  /// Where the task stands among those of its one thread.
  int level(Index task) const noexcept { return level_[task]; }

  /// True if the message of this link is seen when its sender's run ends, at the latest, or with
  /// `in_segments` its delay after it, on the core on which both run, and starts the task by itself. Not from a thread of order `window`
  /// that is not more urgent: its analysis ends where its tasks end. Of a set of newest messages,
  /// each starts a run that keeps it.
  bool local(const Link & link, Index task) const;
  /// True if it is so for some link of the task; for all, and nothing else starts it.
  bool some_local(Index task) const noexcept { return some_local_[task]; }
  bool only_local(Index task) const noexcept { return only_local_[task]; }
  /// Tasks that the end of a run starts on the same core; once for each local link.
  const std::vector<Next> & next(Index task) const noexcept { return next_[task]; }
  /// Whether a local link has a delay.
  bool any_under_way() const noexcept { return any_under_way_; }

  /// All tasks that may run on a core, in trigger order.
  const std::vector<Index> & on(Index core) const noexcept { return on_[core]; }
  /// All threads that may be on a core and have tasks.
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
