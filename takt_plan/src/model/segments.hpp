// How tasks hang together on one core: where each is pinned, and which run right after each other.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__SEGMENTS_HPP_
#define TAKT_PLAN__SRC__SEGMENTS_HPP_

#include <vector>

#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

class Segments
{
public:
  /// `order`: in_trigger_order(model), complete. Keeps a reference to the model.
  Segments(const Model & model, const std::vector<Index> & order);

  /// The one thread that runs the task; none if there are several.
  Index thread(Index task) const noexcept { return thread_[task]; }
  /// The one core that the task runs on; none if there may be several, and none of a thread of
  /// policy deadline, whose runs its reservation cuts.
  Index core(Index task) const noexcept { return core_[task]; }

  /// Where the task stands among those of its one thread.
  int level(Index task) const noexcept { return level_[task]; }

  /// True if the message of this link is seen when its sender's run ends, at the latest, on the
  /// core on which both run, and starts the task by itself. Not from a thread of order `window`
  /// that is not more urgent: its analysis ends where its tasks end. Of a set of newest messages,
  /// each starts a run that keeps it.
  bool local(const Link & link, Index task) const;
  /// True if it is so for some link of the task; for all, and nothing else starts it.
  bool some_local(Index task) const noexcept { return some_local_[task]; }
  bool only_local(Index task) const noexcept { return only_local_[task]; }
  /// Tasks that the end of a run starts on the same core; once for each local link.
  const std::vector<Index> & next(Index task) const noexcept { return next_[task]; }

  /// The longest run of tasks up to this one in which each is started by nothing but the one before,
  /// on the same core. What a set starts begins anew.
  std::vector<Index> up_to(Index task) const;

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

  const Model & model_;
  std::vector<Index> thread_;
  std::vector<Index> core_;
  std::vector<int> level_;
  std::vector<char> some_local_;
  std::vector<char> only_local_;
  std::vector<std::vector<Index>> next_;
  std::vector<std::vector<Index>> on_;
  std::vector<std::vector<Index>> threads_on_;
  std::vector<std::vector<Index>> tasks_of_;
  std::vector<char> spanned_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SEGMENTS_HPP_
