// The jobs of one hyperperiod, with their releases, senders, cores and urgencies.
//
// Timers of one epoch with known offsets, and messages from outside that come on its clock, release
// each job of a hyperperiod at a known time. A *node* is a stream of the model (streams.hpp): one
// way to one task. A node has as many jobs in each hyperperiod as its source; job k + n is job k
// one hyperperiod later. For a set of newest messages each topic's node keeps a message, and one
// more node works: its job k is for message k of the slowest topic, because each complete set has
// one message of that topic.
//
// A source whose phase is not known, with a least distance T of its nominal releases, has at most
// one of them in each turn of a grid of any period up to T. So it has jobs, too: each is released
// within its turn, and by the jitter later, or not at all. The phases of all others stay known.
// Phases are known to each other only of sources whose offsets count from one epoch: that of most
// of them.
//
// Set-up only: allocates, does not block.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_GRAPH_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_GRAPH_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "model/flow.hpp"
#include "takt_plan/model.hpp"

namespace takt_plan::detail
{

/// The place of jobs in the order of urgency of one core.
struct JobLevel
{
  Index core = kNone;
  int urgency = 0;   ///< OS priority of the thread
  int priority = 0;  ///< priority of the callback within the thread
  /// Several threads of the core have this OS priority: the kernel prefers none of them.
  bool shared = false;
  /// Some of its callbacks are in sequences, so not the earliest release goes first.
  bool sequences = false;
  /// It is shared, and a quantum of round robin may end a thread's turn.
  bool rotates = false;
  friend bool operator==(const JobLevel &, const JobLevel &) = default;

  bool above(const JobLevel & other) const noexcept
  {
    return urgency > other.urgency || (urgency == other.urgency && priority > other.priority);
  }
};

struct JobNode
{
  struct From
  {
    Index node = kNone;
    Ns delay = 0;  ///< longest delay of the message
  };

  Index task = kNone;
  Index level = kNone;     ///< position in JobGraph::levels
  Ns period = 0;           ///< of its source; of the source's grid if the phase is unknown
  Ns offset = 0;           ///< of its source's first release
  Ns jitter = 0;           ///< of its own release
  bool unphased = false;   ///< the phase of its source is not known
  Ns distance = 0;         ///< if unphased: least distance of the source's nominal releases
  std::int64_t jobs = 0;   ///< number in a hyperperiod
  Ns cost = 0;             ///< of each job
  Ns run = 0;              ///< of the run to which the job belongs
  std::vector<From> from;  ///< its job k starts when job k of each of these has ended; empty: it
                           ///< starts with a release
  bool joined = false;     ///< a message of each topic of `from` starts it together
  /// For the work on a set: one node for each topic. These are not in `from`.
  std::vector<Index> topics;
  Index slowest = 0;  ///< position in `topics`
  SetStart start = SetStart::first;
  /// a source on the way is unphased: sets may begin with any messages, and may change for ever.
  bool any_start = false;
};

/// True if the node's jobs start with a release of their own: that of a timer, or of a message from
/// outside.
inline bool is_source(const JobNode & node)
{
  return node.from.empty() && node.topics.empty();
}

/// A part of the model whose tasks start each other or share cores.
struct JobGraph
{
  Ns hyperperiod = 0;
  std::vector<JobNode> nodes;  ///< each behind the nodes that start it
  std::vector<JobLevel> levels;
  std::vector<Ns> ceilings;  ///< per level: the longest publish or take of a less urgent thread
  std::vector<std::vector<Index>> others;  ///< per level: positions in Model::others of those that
                                           ///< may delay it
  std::vector<Index> node_of_stream;       ///< kNone: in another part
  /// Threads of several cores, or pools: nodes have no levels (cluster_ends.hpp).
  bool clusters = false;
  bool from_start = false;  ///< known phases count from the start of a process, not on a clock
  std::string refusal;      ///< the reason why the part has no windows; empty: it may have them
  bool too_long = false;    ///< the reason is the hyperperiod
};

/// Limit of jobs, and of nodes: the time of the analysis grows with the cube of the nodes of a
/// core.
inline constexpr std::int64_t kMostJobs = 20'000;
inline constexpr std::size_t kMostNodes = 2'000;

/// All parts of the model.
std::vector<JobGraph> job_graphs(const Model & model, const Flow & flow);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_GRAPH_HPP_
