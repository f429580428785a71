// How deep histories must be, by job windows.
//
// Theorem. The message that starts a job is not there before the job's earliest release, and is taken when the job begins:
// by its latest end less its time. So at any time t the messages that may wait are those whose job is released at t at the
// earliest and begins at t or later at the latest. Their number only rises where some message may arrive; so the largest
// number at those moments of one hyperperiod is enough.
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

class JobDepths
{
public:
  /// Keeps a reference to the model, which passes `check`.
  explicit JobDepths(const Model & model);
  ~JobDepths();
  JobDepths(const JobDepths &) = delete;
  JobDepths & operator=(const JobDepths &) = delete;

  /// Of a topic that starts the task; nothing where the phases of its timers are not known, or a job of it has no latest
  /// end, or it waits for one message of each of several topics.
  std::optional<Ns> of(Index task, Index topic) const;

private:
  bool comes_by(Index stream, Index topic) const;

  const Model & model_;
  Flow flow_;
  std::vector<JobGraph> graphs_;
  std::vector<std::unique_ptr<JobWindows>> windows_;  // per graph; nullptr: it has none
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_DEPTHS_HPP_
