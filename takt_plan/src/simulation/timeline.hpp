// A part of a simulated run as a timeline, for Perfetto (https://ui.perfetto.dev) and
// chrome://tracing.
//
// Tracks: the cores of each host with the threads that had them; the threads of each executor with
// their jobs from start to end, preemptions included; and the activation that the timeline shows.
#ifndef TAKT_PLAN__SRC__TIMELINE_HPP_
#define TAKT_PLAN__SRC__TIMELINE_HPP_

#include <string>
#include <vector>

#include "takt_plan/simulate.hpp"
#include "takt_plan/simulation_observer.hpp"

namespace takt_plan
{

/// Records the work that overlaps [from, to] of the observed run. Allocates.
class Timeline final : public SimulationObserver
{
public:
  Timeline(const SimulationModel & model, Ns from, Ns to);

  /// Shows from one response time before the release to a quarter of it after the end.
  static Timeline around(const SimulationModel & model, const Response & response);

  void on_work(Index core, Index thread, Activity activity, Index task, Ns from, Ns to) override;
  void on_end(Index thread, Index task, Ns release, Ns start, Ns end) override;

  /// Returns the Chrome trace event format (JSON). `name`: of the chain or callback of `response`.
  std::string to_json(const std::string & name, const Response & response) const;

private:
  struct Work
  {
    Index thread = kNone;
    Activity activity = Activity::switching;
    Index task = kNone;
    Ns from = 0, to = 0;
    bool over = false;  ///< the next piece belongs to another job
  };
  struct Job
  {
    Index thread, task;
    Ns release, start, end;
  };

  std::string thread_name(Index thread) const;

  const SimulationModel & model_;
  Ns from_, to_;
  std::vector<std::vector<Work>> work_;  // per core
  std::vector<Job> jobs_;
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__SRC__TIMELINE_HPP_
