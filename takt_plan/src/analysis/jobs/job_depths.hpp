// How deep histories must be, by job windows.
//
// Theorem. The message that starts a job is not there before the job's earliest release, and is
// taken when the job begins: by its latest end less its time. So at any time t the messages that
// may wait are those whose job is released at t at the earliest and begins at t or later at the
// latest. Their number only rises where some message may arrive; so the largest number at those
// moments of one hyperperiod is enough.
//
// A message that no set of newest messages has is replaced by the next one of its topic, in the set
// or in the history alike: the run that takes the next one keeps it, in both cases. So of the
// messages that wait those do not count which are older than the first one that a set may have.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_DEPTHS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_DEPTHS_HPP_

#include <memory>
#include <optional>
#include <vector>

#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_windows.hpp"
#include "model/flow.hpp"

namespace takt_plan::detail
{

/// The windows of each part of a model; nullptr: the part has none.
using PartWindows = std::vector<std::unique_ptr<JobWindows>>;

/// The topics whose messages start the task, rising.
std::vector<Index> starting_topics(const Task & task);

/// The messages that count.
enum class Waits
{
  all,
  may_matter  ///< all but messages that no set has
};

/// The largest number of waiting messages of a topic that starts the task. Empty: phases of its
/// timers are unknown, one of its jobs has no latest end, or it waits for one message of each of
/// several topics.
std::optional<Ns> most_waiting(
  const Model & model, const Flow & flow, const std::vector<JobGraph> & graphs,
  const PartWindows & windows, Index task, Index topic, Waits which);

class JobDepths
{
public:
  /// `model` must pass `check`. Keeps a reference to it.
  explicit JobDepths(const Model & model);
  ~JobDepths();
  JobDepths(const JobDepths &) = delete;
  JobDepths & operator=(const JobDepths &) = delete;

  /// `most_waiting` with Waits::may_matter.
  std::optional<Ns> of(Index task, Index topic) const
  {
    return most_waiting(model_, flow_, graphs_, windows_, task, topic, Waits::may_matter);
  }

private:
  const Model & model_;
  Flow flow_;
  std::vector<JobGraph> graphs_;
  PartWindows windows_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_DEPTHS_HPP_
