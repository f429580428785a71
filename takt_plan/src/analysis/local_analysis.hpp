// A local analysis bounds the tasks of a few threads, each task from its own activation, for a
// given lateness of all releases. It takes part in the one iteration over all kinds of threads.
//
// How the kinds work together. A stream (streams.hpp) is released at the latest when the stream
// before it has ended. It ends at the latest when the part that covers its task says so. Parts are
// the segments of priority_solver.hpp, which the solver bounds itself, and local analyses. They
// exchange only lateness: an analysis knows the period and the latest lateness of a stream's
// releases, and assumes any releases that agree with both. So it is enough that each analysis is
// right by itself:
//
// Suppose that some run ends later than the solution says, and take the first moment at which one
// does. Until then every run ended in time, so every release came within its lateness. So the
// premises of the analysis that covers the run hold, and the run ends in time.
//
// The bounds of all parts rise with the given lateness, and begin at their least values. So the
// iteration ends at the least solution, in any order of the parts.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__LOCAL_ANALYSIS_HPP_
#define TAKT_PLAN__SRC__LOCAL_ANALYSIS_HPP_

#include <memory>
#include <string>
#include <vector>

#include "model/flow.hpp"
#include "takt_plan/analysis_kind.hpp"
#include "takt_plan/bound_terms.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The lateness of streams in the iteration so far. It only rises.
class Lateness
{
public:
  virtual ~Lateness() = default;
  /// The latest release of a stream, after its nominal release.
  virtual Ns released(Index stream) const = 0;
  /// The latest end of the stream's run, after its nominal release; kUnbounded: unknown, also
  /// later.
  virtual Ns ended(Index stream) const = 0;
};

/// Tasks that are bounded together. Each starts the next one at once.
struct LocalPart
{
  std::vector<Index> tasks;
  BoundTerms terms;  ///< from the activation of the first to the end of the last
};

class LocalAnalysis
{
public:
  LocalAnalysis(Analysis kind, std::vector<Index> tasks);
  virtual ~LocalAnalysis() = default;

  Analysis kind() const noexcept { return kind_; }
  const std::vector<Index> & tasks() const noexcept { return tasks_; }

  /// The reason why the analysis does not cover the task; empty: it does. Refused tasks have no
  /// response.
  virtual std::string refusal(Index task) const = 0;
  /// For each task: the time from its activation to its end. Must not fall when `lateness` rises.
  virtual const std::vector<Ns> & responses(const Lateness & lateness) = 0;
  /// The latest end of a run that starts by this stream, after the nominal release, as `responses`
  /// found it; at least `released`. By default `released` plus the response.
  virtual Ns end(Index stream, Ns released, Ns response) const;

  // After the solution; costs time.

  /// The terms of the response of a task. The task must have a response.
  virtual BoundTerms terms(Index task) = 0;
  /// The terms of the end of a run by this stream, which must have a bound: parts that follow each
  /// other up to the stream's task, from the latest release of the first part.
  virtual std::vector<LocalPart> parts(Index stream) = 0;

  /// The reason why a task has no bound, although it is not refused and its releases have bounds.
  virtual std::string reason(Index task) const = 0;

private:
  const Analysis kind_;
  const std::vector<Index> tasks_;
};

using LocalAnalyses = std::vector<std::unique_ptr<LocalAnalysis>>;

/// The local analyses that a model needs beside segments of fixed priorities; empty for most
/// models. Add further kinds of threads here. Keep references to the model and the flow.
LocalAnalyses local_analyses(const Model & model, const Flow & flow, const BoundsOptions & options);

/// Analyses all threads as pools of one or more threads.
LocalAnalyses pool_analyses(const Model & model, const Flow & flow, const BoundsOptions & options);

/// Analyses every thread as one of order `window`; refuses threads of other orders.
LocalAnalyses window_analyses(
  const Model & model, const Flow & flow, const BoundsOptions & options);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LOCAL_ANALYSIS_HPP_
