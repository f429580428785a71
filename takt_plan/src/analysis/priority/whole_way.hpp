// The bound of a way over several segments as a whole.
//
// A chain that goes back and forth between cores has a segment for each stay on a core. The busy
// windows of its segments (busy_window.hpp) each count the work that comes to their core, with its
// jitter. So work that comes once to a core counts again in each segment there. This bound counts
// it once.
//
// Theorem. Consider an activation of a way with the tasks 1 to n: each starts the next one while it
// runs, on any cores, and the message is under way for at most the delay. Let task 1 be released at
// r, and let e be the end of task n. Until task n begins, at each moment a message of the way is
// under way, or one of its tasks h is pending that has not published yet. So during this time the
// core of h does one of these:
//
// - task h itself;
// - work that the kernel and the thread of h prefer to h, or that is as urgent (PriorityLevel);
// - one less urgent task of the thread of h that had begun. None begins if the task before h has
//   just run on that thread;
// - one section of a less urgent thread at the middleware ceiling.
//
// From the begin of task n to its end, its core does task n, or work that preempts it. So e - r is
// at most the sum of the delays, of all own costs, of these less urgent tasks and sections for each
// h, and of all runs from r to e of tasks that are preferred to any h. This bounds the end of task
// n alone: an earlier task that has published may end later. A run by a stream with nominal release
// n' and bound B (of its end) is among them only if n' + B > r and n' < e. If task n has a cost of
// 0, also n' = e: work that is released at the same moment goes first. Streams of other sources
// have any phase, so there are at most ceil((L - 1 + B) / T) of them, with L = e - r. A stream of
// the own source has known distances: its activation d is released at d T or later from the nominal
// release of the own activation (d = 0), and for d < 0 at d T or earlier. So it counts for d < 0 if
// d T + B > 0, for no longer than d T + B; and for d > 0 if d T < J + L, where J is the latest r.
// For d = 0, the runs of the own tasks count once. Tasks that start after the end or the message of
// task n do not exist before it begins, so they count only if they may preempt task n.
//
// The less urgent tasks of a thread are different runs for each h. So a task blocks no more often
// than it can run in the time.
//
// Joint busy time. The bounds B are much larger than the truth where several such ways wait for
// each other, and the carried runs with them. So a second bound has no carried runs. Consider all
// cores that messages connect with those of the way, with all of their work. Let t0 be the last
// moment before the source's release at which no work is pending on any of them, and no message
// under way. From then on until task n begins some work is always pending, so some core works, or a
// message is under way. From then on its core works. So the time until e is at most the sum of all
// work that is released from t0 on before e, on all cores, with its delays. Work that starts after
// task n has begun counts only if it may preempt it. This is the busy window of one core with all
// of this work, and needs no other bound. It has an end if all cores together have a load below one
// core.
//
// Here B is a bound of this or another kind of the same least solution (priority_solver.hpp). No
// circle: consider the first moment at which any bound is exceeded. All runs that ended before have
// met their bounds, and no pending run is beyond its bound.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__WHOLE_WAY_HPP_
#define TAKT_PLAN__SRC__WHOLE_WAY_HPP_

#include <optional>
#include <vector>

#include "analysis/limits.hpp"
#include "model/flow.hpp"
#include "takt_plan/bound_terms.hpp"
#include "takt_plan/priority_terms.hpp"

namespace takt_plan::detail
{

class WholeWay
{
public:
  /// For one stream: the bound of its end so far, and its latest release.
  struct Times
  {
    Ns bound = 0;
    Ns released = 0;
  };

  /// The longest way that ends with the stream, if it has several segments. Absent: it has one, or
  /// the theorem does not cover it. Copies what it needs.
  static std::optional<WholeWay> find(
    const Model & model, const Flow & flow, Index stream, const PriorityTerms & terms);

  /// The stream that starts the first task.
  Index head_stream() const noexcept { return streams_.front(); }
  const std::vector<Index> & tasks() const noexcept { return tasks_; }
  /// The streams on whose bounds the result depends.
  const std::vector<Index> & counted() const noexcept { return counted_; }
  /// The number of terms of the equation.
  std::size_t size() const noexcept { return counted_.size() + 1; }

  /// The longest time from the release of the first task to the end of the last one.
  template <typename TimesOf>
  Ns longest(const TimesOf & times, Ns horizon, Steps & steps)
  {
    for (Run & run : runs_) {
      run.bound = carried_ ? times(run.stream).bound : run.cost;
    }
    for (Blockers & thread : blockers_) {
      for (Run & run : thread.runs) {
        run.bound = run.stream == kNone ? kUnbounded : times(run.stream).bound;
      }
    }
    late_ = times(head_stream()).released;
    const Ns alone = solve(horizon, steps);
    for (Source & source : sources_) {
      source.jitter = carried_ ? times(source.root).released : 0;
    }
    const Ns joint = sources_.empty() ? kUnbounded : solve_joint(horizon, steps);
    is_joint_ = joint < alone;
    return is_joint_ ? joint : alone;
  }

  /// The terms of the last result of `longest`.
  BoundTerms terms(Ns length) const;

private:
  /// The runs of a task by one stream.
  struct Run
  {
    Index stream = kNone;  ///< kNone: as many as possible
    Index task = kNone;
    Ns period = 0;
    Ns cost = 0;
    bool own_source = false;
    bool now = false;  ///< of the own source: the activation d = 0 counts
    Ns bound = 0;
  };
  /// Less urgent tasks of one thread, the longest first.
  struct Blockers
  {
    Ns times = 0;  ///< so many of them may have begun
    std::vector<Run> runs;
  };

  /// A stream of a source. A task that the source starts in several ways has several.
  struct Started
  {
    Index stream = kNone;
    Index task = kNone;
    Ns cost = 0;
  };
  /// Of the joint busy time: all work that one source starts.
  struct Source
  {
    Index root = kNone;  ///< its stream
    Ns period = 0;
    Ns jitter = 0;
    Ns cost = 0;  ///< with delays
    std::vector<Started> started;
    Ns delays = 0;
    bool own = false;
  };
  /// A number of own activations, and the time until the last of them has ended.
  struct Joint
  {
    Ns number = 1, length = 0;
  };

  void find_sources(const Model & model, const Flow & flow);
  bool find_connected(const Model & model, const Flow & flow, std::vector<char> & cores) const;
  Ns solve_joint(Ns horizon, Steps & steps);
  Ns releases(const Source & source, const Joint & joint) const;
  BoundTerms joint_terms(Ns length) const;
  void find_runs(const Model & model, const Flow & flow, const PriorityTerms & terms);
  void add_runs(const Model & model, const Flow & flow, Index task, bool preempts);
  void find_blockers(const Model & model, const Flow & flow, const PriorityTerms & terms);
  Ns solve(Ns horizon, Steps & steps) const;
  Ns count(const Run & run, Ns length) const;
  Ns demand(const Run & run, Ns length) const;
  template <typename Add>
  void for_blockers(Ns length, const Add & add) const;

  std::vector<Index> streams_;
  std::vector<Index> tasks_;
  std::vector<Index> counted_;
  std::vector<Run> runs_;
  std::vector<Blockers> blockers_;
  Ns work_ = 0, overhead_ = 0, delays_ = 0, ceiling_ = 0;
  Ns ties_ = 0;  // 1: work that is released when the way would end goes first
  Ns late_ = 0;
  std::vector<Source> sources_;  // empty: the joint busy time has no bound
  Ns not_yet_ = 0;               // of the own source's cost: it starts after the end of the way
  Joint joint_;                  // the worst
  bool is_joint_ = false;        // it has the smaller bound
  bool carried_ = true;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__WHOLE_WAY_HPP_
