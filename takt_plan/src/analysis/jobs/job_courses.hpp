// Latest ends of jobs over all courses: all orders in which the jobs of a part may begin.
//
// Chains that go back and forth between cores delay each other in turn. Their windows
// (job_windows.hpp) depend on each other, and grow although a job that delayed another one on a
// core is ahead of it on the next core. So this analysis follows all jobs together, from one begin
// of a job to the next one.
//
// A *state* stands behind some begins. It has the jobs that have begun; for each thread a time by
// which the run that it began last has ended (`free`); for each job whose sender has begun a time
// by which its message is there (`ready`), and whether it is there already (`here`); and a time
// before which no further job begins (`from`).
//
// Theorem. A job begins when its thread picks it. If no further job began, a thread would begin one
// by the latest of these times: the first `ready` of its jobs, its `free`, and the `free` of the
// more urgent threads of its core; and, if it wakes, by the time that it then needs to come on the
// core (Task::before_pick). For then one of its jobs waits, and no run keeps the thread or the
// core. So by the least of these times over all threads, some job begins. It is job j, at time s,
// only if
//
// - s is not before `from`, and not before the release of j by a timer;
// - no job that precedes j is `here`, and s is not behind the `ready` of a job that precedes j. A
//   job with a higher priority on the thread of j precedes j, and so does any job of a more urgent
//   thread of its core. Such a job is ready then, so either it begins, or a run of its thread keeps
//   j from its core. If both are timers of one thread without jitter, s is before its `ready`: a
//   thread releases all due timers before it picks one.
//
// Then all earlier runs on the thread of j, and on more urgent threads of its core, have ended by
// s, and their messages come by s and their delays; those without a delay are `here`. The run of j
// ends by s + C_j, as long as no job of a more urgent thread begins. The run of a less urgent
// thread of the core that may go on at s ends, and sends, by C_j later than before. No order is
// assumed among jobs of one thread and priority, except that jobs of one node keep their order.
//
// The analysis examines all next jobs of each state. States in which the same jobs have begun, and
// the same runs may go on, become one: with the least `from`, and the largest of the other times. A
// state one hyperperiod later is the same state. The search ends when no state changes any more. A
// job's latest end is the largest of all states that have it.
//
// Runs take any time from zero to their longest one. So a job that does not come, because its timer
// skips a period or its process has not started, is a job without time, and the search begins with
// all sources at once. Assumptions: those of job_windows.hpp.
//
// Sets of newest messages. A state also has the messages that each set keeps. A run that keeps a
// message takes the time of a keeping run. If its set is complete by it, it works instead: it takes
// the time of the whole run, its messages go to all that follow, and the set keeps none any more. A
// job has, for each source, the number of the release from which its message comes; of several, the
// earliest. So each end is known by the releases on which it depends. With sets, a job that does
// not come changes them, so no timer may skip a period: each first job begins before the next
// release. And the search begins with all releases that may be the first ones after a start:
// sources begin at their first nominal release after some moment of the first hyperperiod. So all
// timers of the process must be there before it spins.
//
// Not covered: sets that begin with any messages (SetStart::any), joins, sources without a known
// phase, sequences, threads of one core with the same OS priority, ceilings, loads outside of
// executors, and logical execution time.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_COURSES_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_COURSES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/jobs/job_graph.hpp"
#include "analysis/jobs/job_times.hpp"
#include "takt_plan/course_terms.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

class JobCourses
{
public:
  /// Limit of sources of a part with sets of newest messages.
  static constexpr std::size_t kMostSourcesOfSets = 4;

  /// Searches. Keeps no reference to the model. `most`: limit of looks at jobs that may begin next;
  /// beyond it nothing is found.
  JobCourses(
    const Model & model, const JobGraph & graph, const CourseTerms & terms, std::int64_t most);

  /// False: the theorem does not cover the part, the search did not end within the limit, or jobs
  /// wait longer than some hyperperiods.
  bool found() const noexcept { return found_; }
  /// The latest ends of the node's jobs. Only if found, and if the part has no sets.
  const JobTimes & ends(Index node) const { return ends_[node]; }
  /// The longest time from a nominal release of the source, the n-th source among the nodes, to the
  /// end of the job by which its message ends at the node. Only if found.
  Ns response(Index node, Index source) const { return responses_[node][source]; }
  std::int64_t looks() const noexcept { return looks_; }

  /// True if the theorem covers the part.
  static bool covers(const Model & model, const JobGraph & graph);
  /// True if messages go from a core to others, and from there back to it. Elsewhere windows are
  /// close enough without sets, and take less time.
  static bool goes_back(const JobGraph & graph);
  static bool goes_back(const Model & model);

private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();
  /// Per source: the number of the release. Only of parts with sets.
  using Origins = std::array<std::int64_t, kMostSourcesOfSets>;
  static constexpr Origins no_origins() { return {kNever, kNever, kNever, kNever}; }
  /// A job. Of parts with sets only the origins tell jobs of a node apart.
  struct Run
  {
    Index node = kNone;
    std::int64_t number = 0;
    Origins origins = no_origins();
    friend bool operator==(const Run &, const Run &) = default;
  };
  /// A job whose sender has begun.
  struct Waiting
  {
    Run job;
    Ns ready = 0;
    bool here = false;  // its message had come when the last job began
  };
  struct State
  {
    std::vector<std::int64_t> next;  // per source: the number of its next job
    std::vector<Waiting> waiting;    // by nodes; of a node, the earliest job first
    // Per thread: its last run, while it may go on. Threads that are the most urgent of their core
    // have none: nothing delays them.
    std::vector<Run> running;
    std::vector<Origins> kept;  // per topic of sets; none: the set keeps no message of it
    Ns from = 0;
    std::vector<Ns> free;  // per thread
  };
  /// What tells states apart.
  using Key = std::vector<std::int64_t>;
  struct Hash
  {
    std::size_t operator()(const Key & key) const noexcept;
  };
  /// A job that may begin next.
  struct Candidate
  {
    Run job;
    Ns earliest = 0;
    Ns ready = 0;
    std::size_t place = 0;  // of a source, or in `waiting`
    bool here = false;
  };
  struct Thread
  {
    std::vector<Index> above, below;  // threads of its core
  };
  struct Receiver
  {
    Index node = kNone;
    Ns delay = 0;
  };

  void find_threads();
  void find_receivers();
  void find_sets();
  bool search();
  void add_starts();
  void add_starts(const std::vector<std::int64_t> & first, Ns moment);
  void find_candidates(const State & state);
  Ns next_begin(const State & state) const;
  bool go_on(const State & state);
  void begin(const State & state, const Candidate & one, Ns latest);
  void end_runs(State & state, Index thread, Ns by) const;
  void delay_less_urgent(State & state, Index thread, Ns cost);
  void send(State & state, const Run & job, Ns end) const;
  Run keep(State & state, const Run & message) const;
  void clean(State & state) const;
  bool move_back(State & state) const;
  void move_back(Run & run, std::int64_t turns) const;
  void move_back(Origins & origins, std::int64_t turns) const;
  void add_run(const Run & run, Key & key) const;
  void find_key(const State & state, Key & key) const;
  std::int64_t begun(const State & state) const;
  bool merge(State & into, const State & other) const;
  void add(const State & state);
  void note_end(const Run & job, Ns end);
  Ns latest_before(const Candidate & one, const Candidate & other) const;

  const JobGraph & graph_;
  const CourseTerms terms_;
  const std::int64_t most_;
  std::int64_t looks_ = 0;
  bool found_ = false;
  bool endless_ = false;  // a job waits too long
  std::vector<JobTimes> ends_;
  std::vector<std::vector<Ns>> responses_;  // per node and source
  bool sets_ = false;                       // the part has some
  std::vector<Index> topic_;      // per node: position in State::kept; kNone: no topic of a set
  std::vector<Index> work_;       // per node: of a topic, the node of the work
  std::vector<Index> works_;      // per topic in State::kept: of a slowest topic, likewise
  std::vector<Index> source_of_;  // per node; kNone: behind a set
  std::vector<Origins> kept_;     // of State: no messages
  std::vector<Index> sources_;    // nodes
  std::vector<char> punctual_;    // per node: a timer without jitter
  std::vector<Ns> before_pick_;   // per node
  std::vector<Thread> threads_;
  std::vector<Index> thread_of_;                  // per node
  std::vector<std::vector<Receiver>> receivers_;  // per node
  std::vector<std::int64_t> caused_;  // per node: jobs that one job of it causes, with itself
  std::vector<State> states_;
  std::size_t stored_ = 0;  // numbers in the keys of all states
  std::unordered_map<Key, Index, Hash> known_;
  std::set<std::pair<std::int64_t, Index>> open_;  // states to examine, by the jobs that have begun
  // Scratch, so that a look allocates nothing.
  std::vector<Candidate> candidates_;
  State examined_, after_;
  Key key_;
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_COURSES_HPP_
