// Windows of all jobs of a hyperperiod: when each is released, and by when it has ended.
//
// A job's window bounds every activation that it stands for, one hyperperiod after the other.
// Bounds make releases and releases make bounds; the least solution is found by iteration from
// below.
//
// One level l of a core (JobLevel). W(l): the jobs of this core at l or above. Let t0 be the last
// moment before a job j of W(l) ends at which no job of W(l) is pending. From t0 until j ends, the
// core does only
//
//     blocking(t0) + ceiling + others + C_j + followers(j) + sum over i in W(l) of C_i N_i(t0, t1)
//
// - blocking: one less urgent run of the core, the one that runs at t0: it was released at t0 or
//   before, and ends at t0 or later. On the level's own thread it goes on to its latest end at
//   most. j's segment (below) does not start it. The jobs of W(l) that it starts by messages
//   without delay, and the jobs that follow from these within W(l), also count: such a job is
//   released while that run works, and from t0 on no other less urgent run works until j ends. So
//   these jobs do not count in N_i, unless a run that takes no time starts them. If the segment
//   begins with such a job, or with one that follows from it within W(l), the blocking run is the
//   one that starts this job. A timer of the level's thread that is released at t0 itself has not
//   begun by then if a timer of W(l) on the same thread is also released at t0: a thread releases
//   all due timers before it picks one.
// - ceiling: one publish or take of a less urgent thread that runs at the middleware ceiling.
// - others: threads outside of executors, by their periods.
// - N_i: jobs of i that may be released before t1, not too late to go before j, and *enter* at t0
//   or later. From the release of a job of j's segment (below) on, some of the segment is pending
//   until j ends. So jobs that are less urgent than the rest of the segment must have been released
//   by then. Jobs of j's thread and priority must have been released by j's release, unless
//   callbacks of that thread and priority are in sequences: these start by direct call before
//   callbacks that were ready earlier (takt_core/sequence.hpp). A job enters with the first job of
//   its way on this core at this level: if that first job is released before t0, it has ended by
//   t0, and so have all jobs that follow within W(l), because each is released at the latest at the
//   end of the job before. Without this term windows of less urgent jobs feed themselves. Jobs that
//   follow from later jobs of j's node begin after j has ended, and do not count.
// - followers: a run may publish before it ends. Then the jobs that j itself starts on more urgent
//   threads of its core, on any way, may preempt it, once each, unless the way has a job that waits
//   for j's thread or core. All other jobs that j starts wait until it has ended. A run that sends
//   one message sends it before its followers come, so its receivers are released by the end
//   without followers.
//
// Jobs that follow each other on one core are one *segment*: its level is that of its least urgent
// job, and t0 is not later than the entry of its first job. A job's end is the least over all
// beginnings of its segment. A segment goes on through a set of newest messages by the message that
// completes it: of all orders of arrival that windows allow (job_sets.hpp), the worst one counts.
// The last job of a segment at the thread of the level is only delayed by its thread until the
// thread picks it; then only by more urgent threads. A thread that wakes picks when it is on its
// core, after a switch that the job's cost has (Task::before_pick).
//
// Only those t0 need be examined where the sum changes: at entries, and at the segment's own entry.
// (Between two of them t0 + blocking(t0) does not fall.) Jobs without a known phase, which must
// have been released by some moment, also change the sum, at the t0 from which on one more of them
// fits. A t0 counts only if the busy interval that begins there reaches the segment's release, and
// if the jobs that enter between it and the next t0 that counts take more than this time
// (Level::each).
//
// Messages under way. A message between two jobs of one core may have a delay, as between
// processes. Then the receiver is released with jitter, by the latest end of the sender and the
// delay: it enters by itself, and a segment ends before it. Or the time under way belongs to the
// busy interval: t0 is the last moment before j ends at which no job of W(l) is pending, and no
// message is under way between two of them. The receiver enters with its sender, and a segment goes
// on through the message. From t0 on the core does other work than W(l) and the terms above only
//
// - while such a message is under way: at most its delay for each receiver that counts in N_i;
// - or later, in a time in which some of W(l) is always pending. Before this time none was pending,
//   so a message was under way, and has arrived in this time: each message causes at most one such
//   time. In it one run of the level's thread, or one publish or take at the ceiling, goes on that
//   had begun before. The run has not ended when the message arrives.
//
// So each receiver costs its delay, one run that may block in its release window, and the ceiling
// besides. A receiver counts from its sender's earliest end, so messages count that are sent by
// then. Both ways are right by themselves; each job's end is the smaller one.
//
// Ways over several cores. Work that comes once to a core counts again in each segment there. So a
// job that follows from others on several cores also has an end by its whole way (job_ways.cpp).
// The smaller end counts.
//
// Sources without a known phase. Their jobs are released at any time within a period, or not at all
// (job_graph.hpp), so that N_i is one too many in most intervals. Of the nodes i of one such source
// at most ceil((t1 - t0 + J) / T) jobs enter in [t0, t1), too, where T is the least distance of its
// nominal releases and J how late after them a job of i may enter; the smaller number counts. Their
// bounds count from the beginning of the grid's turn; those of other analyses are smaller in most
// cases. That such a timer skips periods does no harm: its jobs need not come.
//
// Courses. Jobs of chains that go back and forth between cores have ends by all orders in which
// they may begin (job_courses.hpp), too. The smaller end counts.
//
// Clusters. In a part of the model with pools, or with threads that may use several cores, no job
// has a level: cluster_ends.hpp has the ends of its jobs. All else is the same.
//
// A round omits windows that depend on no window that moved: a window depends on the windows of its
// levels' work and blockers, and on the windows that release it.
//
// Soundness: let a window be violated for the first time. Until then all releases were inside of
// their windows, and the sums look only at releases before that moment. They bound demand, so jobs
// that take less, or do not come at all, cannot break them. So a timer with a known phase may skip
// periods: a job that is due when an earlier one has not begun yet may not come, and sets know
// that. Assumptions: those of priority_bounds.hpp; timers with known phases count from one epoch.
// Starts at any moment. Where a set may begin with any messages (job_sets.hpp), a start leaves
// states of sets that pass. The least solution without these states is not enough: windows hold
// only if they have held before, and after a start they have not. Work on a set that is late may
// delay messages so that they come in another order, and this order makes the work late again, for
// good. So windows come from above:
//
// - Some windows hold from the last start on. The least solution with all states of sets that a
//   start may leave gives such windows, because no job violates them first. The bounds of the
//   analyses without phases give others (KnownEnds). Each job's end is the smaller one. As long as
//   a timer may be late for its next release, that job may not come.
// - Where windows hold from some moment on, sets are in states that do not pass soon after it. Then
//   the sums of these windows and states hold for all busy intervals that begin later. So each
//   round makes windows that hold some time later, and its number of rounds is finite.
//
// Where the known phases count from the start of one process, each round also has all states from
// the first messages on (job_sets.hpp). So all windows hold from the first release on, too, if all
// processes have started by then.
//
// Only the results of other analyses make a window smaller than the least solution without states
// that pass. So this solution is found first: if a message from outside may be lost in it, or a job
// is too late, the search ends. The analysis does not find how long settling takes: at a load near
// 100 % it takes long.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_WINDOWS_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_WINDOWS_HPP_

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/jobs/cluster_ends.hpp"
#include "analysis/jobs/job_courses.hpp"
#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_sets.hpp"
#include "analysis/jobs/job_times.hpp"
#include "takt_plan/bounds.hpp"

namespace takt_plan::detail
{

/// A job: its node, and its number, counted from the first hyperperiod on.
struct Job
{
  Index node = kNone;
  std::int64_t number = 0;
};

/// The cause of a job's latest end.
struct LatestEnd
{
  Ns time = 0;
  std::vector<Job> segment;  ///< the job, then the job that starts it, and so on
  Ns begin = 0;              ///< of the busy interval
  Ns released = 0;           ///< latest release of the segment's first job
  Index level = kNone;       ///< position in the levels of JobWindows
  bool whole = false;        ///< by the whole way from the source, which `segment` has
  bool joint = false;        ///< likewise, by the joint busy time of all cores
  bool courses = false;      ///< likewise, by all courses
  bool cluster = false;      ///< of a part with clusters; `segment` has the job alone
};

/// Latest ends that hold for any starts of processes, from analyses without phases. Per stream, in
/// ns after the nominal release of its source; kUnbounded: unknown. They depend on no order of
/// messages and no state of a set. The function is called at most once. Without it, windows after a
/// start at any time are only the least solution, which may not hold: a search uses them, and its
/// result is judged with the function.
using KnownEnds = std::function<std::vector<Ns>()>;

class JobWindows
{
public:
  /// Solves. Keeps references. `horizon`: a job that may end later than this after its earliest
  /// release has no end. `most`: approximate limit of evaluated terms of sums; beyond it there is
  /// no solution. `latest`: per node; there is no solution if one of its jobs may end later than
  /// this after the nominal release of its source, or if a timer may skip a period. Empty: no
  /// limits.
  JobWindows(
    const Model & model, const JobGraph & graph, const JobTerms & terms, Ns horizon,
    std::int64_t most, KnownEnds known, std::vector<Ns> latest = {});

  /// False if there is no solution: a message from outside may wait longer than its period, a timer
  /// that restarts may be late, the limit of terms was reached, or a job may end too late.
  bool solved() const noexcept { return solved_; }
  /// The reason why there is none. Not after a search that ended because of `latest`.
  std::string refusal() const;
  std::int64_t looks() const noexcept { return looks_; }
  const JobGraph & graph() const noexcept { return graph_; }
  const JobWindow & window(Index node) const { return windows_[node]; }
  /// True if the node's jobs have latest ends.
  bool ends(Index node) const { return ends_[node]; }
  /// The set of a node that works on sets.
  const JobSet & set(Index node) const { return sets_[node]; }
  /// The latest end of `job`, and its cause. The job must have an end (`ends`).
  LatestEnd latest_end(Job job);
  /// The terms of `end`: they add up to its time since `begin`.
  BoundTerms terms_of(const LatestEnd & end);

private:
  static constexpr std::int64_t kNoBegin = std::numeric_limits<std::int64_t>::min();
  static constexpr Ns kUnknown = std::numeric_limits<Ns>::min();

  /// A job of a level's work, in the first hyperperiod.
  struct Arrival
  {
    Ns from = 0;  // earliest release
    Ns entry = 0;
    Job job;
    Ns cost = 0;
    bool above = false;  // its thread is more urgent than that of the level
  };
  /// A moment at which a busy interval of a level may begin.
  struct Begin
  {
    Ns time = 0;
    Ns key = 0;  // see Level::each
    // the last earlier beginning with a larger key, counted from the first one of this hyperperiod
    std::int64_t before = kNoBegin;
    Ns end = kUnknown;  // of the interval
    Ns blocking = kUnknown;
    Job blocker{0, 0};     // valid if there is blocking
    bool started = false;  // the blocker starts some of the work
    // Range of Level::open: jobs that may be released before this moment, and enter at it or later.
    std::size_t open = 0, open_end = 0;
  };
  /// A node of a level's work whose source has no known phase.
  struct Sparse
  {
    Index place = kNone;  // position in `work`
    Ns jitter = 0;        // from the nominal release to the latest entry
    Ns cost = 0;
    bool above = false;
  };
  /// A less urgent node of the core that may run when a busy interval begins.
  struct Below
  {
    Index node = kNone;
    bool same_thread = false;    // it keeps the thread of the level
    std::vector<Index> started;  // positions in Level::work: nodes whose job k its job k starts
  };
  /// The longest time that one run takes of an interval, and the work that it starts.
  struct Begun
  {
    Ns blocked = 0;
    Ns started = 0;
    Ns time() const noexcept { return blocked + started; }
  };
  struct Level
  {
    Index of = kNone;  // position in JobGraph::levels
    bool under_way =
      false;              // busy intervals include the time of messages under way within the work
    bool unused = false;  // the level has no such message
    std::vector<Index> work;  // nodes at the level or above, each behind the nodes that start it
    std::vector<Below> below;
    std::vector<Index> punctual;  // positions in `work`: timers of the level's thread that are
                                  // released at known moments
    std::vector<Index> place;     // per node: position in `work`
    std::vector<Index>
      starter;  // per node of `work`: the node below that starts it; kNone: it comes by itself
    std::vector<JobTimes> entry;  // per node of `work`
    std::vector<std::vector<Ns>>
      more;  // per node of `work` and per job: the time that its message adds; empty: no time
    std::vector<Arrival> arrivals;  // of all nodes of `work` but `sparse`, sorted by `from`
    std::vector<Sparse> sparse;
    std::vector<Begin> busy;  // busy intervals, by their beginning in the first hyperperiod
    std::vector<Arrival> open;
    // True: the search examines each interval. False: the key of a beginning t0 is t0 less the time
    // of the jobs that enter before t0. A job's end from t0 is no later than its end from a later
    // t1, if key and blocking of t0 together do not exceed those of t1: the jobs that enter in [t0,
    // t1) take no longer than t1 + blocking(t1) - t0 - blocking(t0), and all other work counts from
    // both.
    bool each = false;
    Ns spare = 0;  // a hyperperiod, less the time of the jobs that count for keys
    Ns most_blocking = 0;
    Ns longest = 0;  // the longest interval, if each one is examined
    bool overloaded = false;
    bool endless = false;  // some of the level's work has no end
  };
  /// How a node stands to the segment of look_for.
  struct Sought
  {
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    std::int64_t delays_below = kNever;  // jobs from that number on wait for the segment's end
    std::int64_t own = kNever;           // its own job in the segment
    std::int64_t begun_below = kNever;   // later jobs cannot have begun before the segment
    Ns released_by = kUnbounded;         // a job that is released later comes behind the segment
  };
  /// Jobs that are less urgent than the level, and are released later, come behind the segment of
  /// look_for.
  struct Overtaking
  {
    Index level = kNone;
    Ns latest = 0;
  };
  /// A way over several segments. Nodes of its cores are preferred to one of its jobs, or less
  /// urgent than all of these.
  struct Way
  {
    struct Thread
    {
      std::int64_t times = 0;    // so many less urgent runs may have begun
      std::vector<Index> below;  // the longest run first
    };
    std::vector<Index> nodes;  // the last one first; empty: the node has no such way
    std::vector<Index> preferred;
    std::vector<Thread> threads;
    Ns fixed = 0;  // own costs, delays and ceiling
    Ns delays = 0, ceiling = 0;
    Ns not_yet = 0;  // of the work that its source starts: it starts after the end of the way
  };
  /// Of the joint busy time of all cores: the work that a source starts.
  struct Source
  {
    Index root = kNone;       // its node
    Ns cost = 0;              // with delays
    std::vector<Ns> pending;  // per job: the longest time that earlier work takes from its release
  };
  /// Numbers of jobs.
  struct Met
  {
    std::int64_t first = 0, last = 0;
  };
  /// The time that the jobs of a level's work take from `begin` on. The end moves.
  struct Demand
  {
    Ns begin = 0;
    Ns same = 0, above = 0;
    std::size_t next = 0;    // position in Level::arrivals
    std::int64_t turn = 0;   // hyperperiod of `begin` and of the next arrival
    std::int64_t moved = 0;  // the segment comes so many hyperperiods later
  };

  /// The sets' states that count if processes start at any time, and the direction of the search
  /// for windows.
  enum class Search
  {
    settled,     // from below, with the states that do not pass: no window can be smaller
    from_start,  // upwards from the settled windows, with all states
    from_above   // downwards from the windows of from_start, with the states that do not pass
  };

  void solve();
  void begin();
  void rise();
  void settle();
  void descend();
  void take_known(const std::vector<char> & may_end);
  bool settles_later(const JobNode & node) const;
  Index loser() const;
  bool may_lose() const { return loser() != kNone; }
  bool move(Ns & time, Ns found) const;
  void find_needs();
  void note_move(Index node);
  bool recent(int round) const;
  bool release_may_move(Index node) const;
  bool end_may_move(Index node) const;
  int most_rounds() const;
  bool iterate();
  bool find_releases(Index node);
  bool set_may_move(const JobNode & node) const;
  bool find_ends(Index node);
  bool too_late(Index node) const;
  bool release(Index node);
  void skip(Index node, std::vector<char> & may_miss) const;
  bool release_work(Index node);
  Level level_of(Index level, bool under_way) const;
  bool comes_within(const Level & level, Index node) const;
  void find_entries(Level & level);
  void find_more(Index level);
  void find_sparse(Index level);
  std::int64_t runs_of(
    const Level & level, const Sparse & one, Ns begin, Ns end, std::int64_t moved) const;
  Ns sparse_load(const Level & level, bool above, Ns begin, Ns end, std::int64_t moved) const;
  Ns sparse_loads(const Level & level, Ns begin, Ns end, std::int64_t moved);
  Ns cost(const Level & level, const Job & job) const;
  void find_busy(Index level);
  void find_begins(Level & level);
  void find_all(Index level);
  void find_larger(Level & level);
  void find_begin(Index level, Begin & begin);
  Ns find_interval(Index level, Begin & begin);
  std::int64_t begun_below(Index node, std::int64_t moved) const;
  Ns blocking(Index level, Ns from, Ns to, std::int64_t moved, Begin * begin) const;
  Begun begun(
    const Level & level, const Below & below, std::int64_t job, Ns from, std::int64_t moved) const;
  std::vector<Index> started(
    const Level & level, const Below & below, std::int64_t job, Ns from, std::int64_t moved) const;
  void find_below(Level & level) const;
  void find_punctual(Level & level) const;
  bool is_punctual(Index node) const;
  bool behind_timer(const Level & level, Index node, std::int64_t job, Ns moment) const;
  Ns starter_since() const;
  void find_starter(const Level & level, const std::vector<Job> & segment);
  Ns other_load(Index other, Ns length) const;
  void find_followers();
  /// True if job k of the node never runs before job k of `before` has ended; also true for
  /// `before` itself.
  bool follows(Index node, Index before) const
  {
    return follows_[before * graph_.nodes.size() + node] != 0;
  }
  bool preempts(Index node, Index before) const;
  Ns end_without_followers(const Job & job, Ns end);
  void sort_arrivals();
  void find_arrivals(Index level);
  void add_open(Index level, Ns begin, std::vector<Arrival> & open);
  Begin begin_at(Index level, Ns time, std::vector<Arrival> & open);
  std::vector<Job> runs(
    const Level & level, Index place, const std::vector<Job> & segment, Ns begin, Ns end) const;
  void add_interference(
    const Level & level, Index place, const std::vector<Job> & jobs, BoundTerms & terms) const;
  void add_begun(Index level, Ns begin, BoundTerms & terms) const;
  CountedJob counted(const Job & job) const;
  void look_for(const std::vector<Job> & segment);
  void find_overtaken(const std::vector<Job> & segment);
  bool counts(const Job & job, Ns from) const;
  Demand demand(
    Index level, const Begin & at, const std::vector<Arrival> & open, std::int64_t moved);
  void go_on(const Level & level, Ns end, Demand & demand);
  Ns other_loads(Index level, Ns length) const;
  Ns end_from(
    Index level, const std::vector<Job> & segment, const Begin & at,
    const std::vector<Arrival> & open, std::int64_t moved, BoundTerms * terms = nullptr);
  Ns end_of_segment(const std::vector<Job> & segment, Ns earliest, Ns latest, LatestEnd * how);
  Ns begin_with_more(Index node, const Sparse & one, Ns next) const;
  Ns worst_of_all(
    Index level, const std::vector<Job> & segment, Ns earliest, Ns latest, Ns & begin);
  Ns worst_by_keys(
    Index level, const std::vector<Job> & segment, Ns earliest, Ns latest, Ns & begin);
  Ns key_of(const Level & level, std::int64_t begin) const;
  Ns key_behind(const Level & level, std::int64_t begin, Ns time) const;
  std::int64_t larger_before(const Level & level, std::int64_t begin, Ns key) const;
  Ns end_of(const Job & job, LatestEnd * how);
  Ns end_in_cluster(const Job & job, BoundTerms * terms);
  Ns end_through(std::vector<Job> & segment, LatestEnd * how);
  Ns end_by(
    std::vector<Job> & segment, std::optional<Job> before, Ns earliest, Ns latest, LatestEnd * how);
  void find_ways();
  Way way_of(Index last) const;
  Met met(Index node, Ns from, Ns until) const;
  Ns taken_beside(const Job & job, Index node, Ns from, Ns until, std::vector<Job> * jobs) const;
  Ns released_with(Index node) const;
  void find_sources();
  void find_pending();
  Ns joint_end(const Job & job, BoundTerms * terms);
  Ns end_of_way(const Job & job, LatestEnd * how, BoundTerms * terms = nullptr);
  Ns end_by_courses(const Job & job, LatestEnd * how) const;
  BoundTerms terms_of_courses(const LatestEnd & end) const;
  Index least_urgent(const std::vector<Job> & segment) const;
  bool goes_on(const JobNode & node) const;
  Ns entry(const Level & level, const Job & job) const;

  const Model & model_;
  const JobGraph & graph_;
  const JobTerms terms_;
  const Ns horizon_;
  const Ns most_length_;
  const std::int64_t most_;
  std::int64_t limit_;  // of `looks_`, in the present search
  const KnownEnds known_;
  const std::vector<Ns> latest_;
  std::int64_t looks_ = 0;
  bool solved_ = false;
  bool failed_ = false;
  Search search_ = Search::settled;
  int round_ = 0, begin_round_ = 0;
  std::vector<JobWindow> windows_;
  std::vector<char> ends_;
  std::vector<JobTimes> ended_;  // per node: latest ends, rising
  // A round omits nodes that do not depend on a node that moved in the round before, or earlier in
  // this round.
  std::vector<int> moved_in_;     // per node: the last round in which its windows moved
  std::vector<int> released_in_;  // per node: the last round in which its releases moved
  // In clusters the levels below are places.
  std::vector<int> work_moved_in_;  // per JobGraph::levels: the last round in which its work or its
                                    // blockers moved
  std::vector<std::vector<Index>>
    seen_by_;  // per node: levels to whose work it belongs, or which it blocks
  std::vector<std::vector<Index>> segment_levels_;  // per node: levels of all its segments
  std::vector<JobSet> sets_;
  std::vector<Way> ways_;         // per node
  std::vector<Source> sources_;   // empty: the joint busy time has no end
  std::vector<Index> source_of_;  // per node
  JobCourses courses_;
  ClusterEnds clusters_;
  std::vector<Level> levels_;  // of JobGraph::levels, then the same with messages under way
  bool any_under_way_ = false;
  bool under_way_ = false;                     // segments go on through messages that are under way
  std::vector<Sought> sought_;                 // per node
  std::vector<Overtaking> overtaking_;         // of the segment of look_for
  std::vector<std::vector<Index>> on_;         // per core: nodes
  std::vector<std::vector<Index>> rising_;     // the same, the least urgent first
  std::vector<std::vector<Index>> of_level_;   // per JobGraph::levels: nodes
  std::vector<std::vector<Index>> following_;  // per node: those of its core that follow it
  std::vector<std::vector<Arrival>> arrivals_;  // per core, by `from`, without entries
  std::vector<Arrival> open_;                   // jobs that are open at one beginning
  std::vector<char> follows_;                   // per node, which nodes follow it
  std::vector<char> within_;                    // per node: followers that may run before its end
  std::vector<Ns> preempted_;                   // per node: time of its followers
  std::vector<char> sends_first_;               // per node: its messages do not wait for a follower
  bool without_followers_ = false;              // the wanted end is that without followers
  std::vector<std::pair<Ns, Ns>> entering_;     // of a level: entries of jobs, and their times
  std::vector<std::pair<Ns, Ns>> sorting_;      // scratch
  std::vector<std::int64_t> larger_;            // positions of beginnings
  bool all_count_ = false;                      // all jobs of the work count, for any segment
  Ns blocked_ = 0;                              // in the last interval of end_from
  Job starter_;  // the less urgent starter of the segment of look_for; kNone: the segment comes by
                 // itself
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_WINDOWS_HPP_
