// What takes part in the one iteration over all kinds of threads: bounds of the tasks of a few
// threads, each from its own activation, given how late everything is released so far.
//
// How the kinds work together. A stream (streams.hpp) is released at the latest when the stream
// before it has ended; it ends at the latest when the part that covers its task says so. Parts are
// the segments of priority_solver.hpp, which it solves itself, and local analyses. What passes
// between them is lateness alone: of a stream's releases, its period and the latest lateness are
// known, and any releases that agree with both are assumed. So each analysis needs to be right by
// itself only:
//
// Suppose some run ends later than the solution says, and take the first moment at which one does.
// Up to then every run ended in time, so every release came within its lateness, so the premises of
// the analysis that covers the run hold, and it ends in time.
//
// All parts rise with what they are given and begin at their least values; so the iteration ends at
// the least solution, in whatever order they are asked.
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

/// How late things are, as far as the iteration has come. Rising from round to round.
class Lateness
{
public:
  virtual ~Lateness() = default;
  /// The latest release of a stream, after the nominal one.
  virtual Ns released(Index stream) const = 0;
  /// The latest end of what it started, likewise; kUnbounded: not known, also later.
  virtual Ns ended(Index stream) const = 0;
};

/// Tasks that are bounded together, each of which starts the next one at once.
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

  /// Why the analysis does not cover the task; empty: it does. Refused tasks have no response.
  virtual std::string refusal(Index task) const = 0;
  /// From its activation to its end, for each of the tasks. Must not fall when `lateness` rises.
  virtual const std::vector<Ns> & responses(const Lateness & lateness) = 0;
  /// When a run that starts by this stream ends, after the nominal release, as far as `responses` saw;
  /// not before `released`. By the response alone, if no more is known.
  virtual Ns end(Index stream, Ns released, Ns response) const;

  // After the solution; costs time.

  /// What the response of a task that has one is the sum of.
  virtual BoundTerms terms(Index task) = 0;
  /// What the end of a run by this stream, which has a bound, is the sum of: parts that follow each other
  /// up to the stream's task, from the latest release of the first one's.
  virtual std::vector<LocalPart> parts(Index stream) = 0;

  /// Why a task that is not refused, and whose releases have a bound, has none itself.
  virtual std::string reason(Index task) const = 0;

private:
  const Analysis kind_;
  const std::vector<Index> tasks_;
};

using LocalAnalyses = std::vector<std::unique_ptr<LocalAnalysis>>;

/// Those that a model needs beside the segments of fixed priorities; none for most models. Further
/// kinds of threads join here. Keep references to the model and the flow.
LocalAnalyses local_analyses(const Model & model, const Flow & flow, const BoundsOptions & options);

/// All threads as pools, of one or more.
LocalAnalyses pool_analyses(const Model & model, const Flow & flow, const BoundsOptions & options);

/// Every thread as one of order `window`, which is refused if it is not.
LocalAnalyses window_analyses(
  const Model & model, const Flow & flow, const BoundsOptions & options);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__LOCAL_ANALYSIS_HPP_
