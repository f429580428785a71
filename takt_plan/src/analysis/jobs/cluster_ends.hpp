// Latest ends of jobs on threads that may use several cores, and in pools of threads.
//
// A *place* is a set of threads that have the same callbacks: one thread, or a pool of n threads
// with one OS priority. All threads of a pool have the same cores, or no core in common. Let job j
// of a place be released by t0, its latest release. It has ended by t0, or waits or runs at t0; so
// only the time from t0 on matters. In each unit of time from t0 until j ends in which j does not
// run itself,
//
// - a member of its group, or an earlier job of its callback, has the group and runs on another
//   thread (n > 1);
// - or no thread of the place that is awake lacks a core. Then all n threads run others of the
//   place's jobs: an idle thread would have taken j, or would be awake to take it;
// - or a thread of the place is awake and lacks a core. Then all cores that it may use run threads
//   that are as urgent, or one of them is at the middleware ceiling. If the n threads have the same
//   m cores, n <= m, then at most n - 1 of these cores run threads of the place.
//
// So if j has not ended w after t0, it has waited for more than w - C_j, and
//
//     wait <= group + x + y + (1 + wakes) section + wakes switch
//     n x <= sum over the groups g of the place of min(W_g, x)
//     r y <= sum over the other threads and groups e of min(W_e, y)
//
// where r is m - n + 1, or for threads without a common core the least number of cores of one of
// them. W: the time that these jobs may run between t0 and w later. A job counts if it may be
// released before the end of this interval and may end behind t0, with its cost, but for no longer
// than from t0 to its latest end. No callback, and no thread, runs twice at a time: min(..., x).
//
// - Of the place, only jobs count in x that go before j: more urgent ones that are released before
//   j begins, jobs as urgent that are released by t0, and n less urgent ones that had begun by t0.
//   If a member of the group may precede j, all count that are released before j begins, because
//   threads of the pool begin such work while j waits for the group. Jobs that j starts are
//   released after j has begun. So is the work on a set if none of the messages of a topic that it
//   may have is older than those that j leads to.
// - Or all jobs that are there count together: with n threads on the same m cores, each unit of
//   waiting has min(n, m) busy threads, so that min(n, m) z <= sum of min(W, z) over the whole
//   place and all other threads, and the wait is z instead of x + y. With n > m only this holds.
//   The smaller end counts.
// - section: the longest publish or take at the ceiling of a less urgent thread. A less urgent
//   thread can only be at the ceiling where it was before j began to wait. j begins to wait at t0,
//   and each time that a thread wakes and takes its core. The ceiling must be above all threads.
// - switch: each time that a thread takes j's core, j's thread comes on a core again. A thread that
//   wakes may displace one thread from each core, and one thread comes back when it sleeps. A run's
//   cost has two of these switches, so others' jobs count with the rest of them. In a pool a job
//   may wake two threads, one of them for nothing. And there the thread that is woken for j may
//   take another job, and wakes the next thread: n - 1 more switches each time that j begins to
//   wait for a thread, at t0 and after each job of its group.
//
// Soundness: as of job_windows.hpp. The windows of all jobs hold up to the first violation, and the
// sums look only at releases before it and at ends behind t0. The sums assume no order among cores
// that sets of threads have in common, so that such sets may overlap.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__CLUSTER_ENDS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__CLUSTER_ENDS_HPP_

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/jobs/busy_time.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_sets.hpp"
#include "analysis/jobs/job_times.hpp"
#include "takt_plan/bounds.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The windows that are known of each node.
struct KnownJobs
{
  const std::vector<JobWindow> & windows;
  const std::vector<JobTimes> & ended;  ///< latest ends, rising
  const std::vector<char> & ends;       ///< 0: no latest ends
};

class ClusterEnds
{
public:
  /// Does nothing if the graph has no clusters. Keeps references.
  ClusterEnds(const Model & model, const JobGraph & graph, const JobTerms & terms, KnownJobs known);

  /// The number of places, and that of a node. Nodes of one place depend on the same windows.
  Index places() const noexcept { return places_.size(); }
  Index place(Index node) const { return traits_[node].place; }
  /// Per node: the places whose jobs depend on its windows.
  std::vector<std::vector<Index>> seen_by() const;
  /// Takes over what is known of sets, per node. Before the first call of end_of.
  void look_at(const std::vector<JobSet> & sets);
  /// The latest end of a job; kUnbounded: it has none, or waits for longer than `most`, or that
  /// takes more than about `most_looks`.
  Ns end_of(
    Index node, std::int64_t job, Ns most, std::int64_t most_looks, BoundTerms * terms = nullptr);
  /// The number of evaluated terms of sums.
  std::int64_t looks() const noexcept { return looks_; }

private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Jobs of one node that may keep a job of the place from its cores, or from its threads. No two
  /// of an entity run at the same time: of a thread, or of a group in a pool.
  struct Member
  {
    Index node = kNone;
    Index entity = 0;
  };
  struct Place
  {
    std::vector<Index> threads;
    bool apart = false;          ///< its threads have no core in common
    Index cores = 0;             ///< of each thread; of the one with the fewest if they are apart
    std::vector<char> has_core;  ///< per core: one of the threads may use it
    Ns section = 0;
    std::vector<Member> own;     ///< nodes of the place
    std::vector<Member> others;  ///< of other places with some of its cores, as urgent
    Index own_entities = 0;
    // Of `others`, by entity: its pool, a position in `pools`; kNone: a thread. `pools` has numbers
    // of threads.
    std::vector<Index> pool_of, pools;
  };
  /// Of a node.
  struct Traits
  {
    Index place = kNone;
    int level = 0;
    Index group = kNone;  ///< of tasks of the place that exclude each other; in pools
    Ns change = 0;        ///< a switch
    Ns extra = 0;         ///< switches beyond those in its cost
    std::int64_t wakes = 0;
  };
  /// Jobs of one node that count, for terms.
  struct Counted
  {
    Index node = kNone;
    Index entity = kNone;  ///< kNone: the group of the job that waits
    std::int64_t first = 0, last = 0;
    Ns time = 0;
  };
  /// The work that may run while a job waits.
  struct Work
  {
    std::vector<Ns> of;  ///< per entity
    std::vector<Ns> begun;
    Ns group = 0;
    std::int64_t mates = 0;  ///< number of jobs of the group
    std::int64_t wakes = 0;
    std::vector<Counted> counted;  ///< only if terms are asked for
    std::vector<Counted> counted_begun;
  };
  /// A part of a wait.
  struct Wait
  {
    Ns group = 0, place = 0, others = 0, sections = 0, switches = 0;
    Ns sum() const noexcept { return add(add(group, place), add(others, add(sections, switches))); }
  };
  struct Job
  {
    Index node = kNone;
    std::int64_t number = 0;
    Ns from = 0;  ///< its latest release
  };

  void find_places();
  Index add_place(const std::vector<Index> & threads);
  void find_members();
  void find_traits();
  void find_started(Index node, std::int64_t job);
  std::int64_t first_behind(Index node, Ns from) const;
  Ns work_of(Index node, std::int64_t job, Ns from, Ns cost) const;
  Counted count(const Job & job, Index node, Ns until, bool with_started) const;
  bool add_work(
    const Job & job, const Member & member, Ns until, bool with_started, bool mate, Work & work);
  void add_begun(const Job & job, Index node, Work & work);
  bool add_own(const Job & job, const Place & place, Ns until, Work & work);
  bool add_all(const Job & job, const Place & place, Ns until, Work & work);
  bool add_others(const Job & job, const Place & place, Ns until, bool with_started, Work & work);
  void add_waits(
    const Job & job, const Place & place, std::int64_t wakes, std::int64_t mates,
    Wait & wait) const;
  Ns busy(const SharedWork & work, Index rate);
  template <typename WaitUntil, typename Explain>
  Ns least_end(
    const Job & job, Ns most, BoundTerms * terms, const WaitUntil & wait_until,
    const Explain & explain);
  Ns end_apart(const Job & job, Ns most, BoundTerms * terms);
  Ns end_together(const Job & job, Ns most, BoundTerms * terms);
  BoundTerm term_of(TermKind kind, const Counted & counted) const;
  void add_terms(const Job & job, const Wait & wait, BoundTerms & terms) const;
  void add_terms_of_group(const Work & work, BoundTerms & terms) const;
  void add_busy(
    TermKind kind, Index rate, Ns time, const Work & work, const SharedWork & shared,
    BoundTerms & terms) const;

  const Model & model_;
  const JobGraph & graph_;
  const JobTerms terms_;
  const KnownJobs known_;
  std::vector<Place> places_;
  std::vector<Traits> traits_;  // per node
  // Per node that works on sets, and per topic: the job of the oldest message that each of its jobs
  // may have, rising; empty: unknown.
  std::vector<std::vector<std::optional<JobTimes>>> messages_;
  std::vector<std::int64_t> started_;  // per node, of the job of end_of
  bool record_ = false;
  std::int64_t most_looks_ = 0;
  std::int64_t looks_ = 0;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__CLUSTER_ENDS_HPP_
