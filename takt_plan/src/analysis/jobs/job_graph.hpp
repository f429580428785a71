// The jobs of one hyperperiod: what is released when, by whom, on which core and how urgent.
//
// Timers of one epoch with known offsets, and messages from outside that come on its clock, release each job of a
// hyperperiod at a known time. A *node* is a stream of
// the model (streams.hpp): one way to one task. A node has as many jobs in each hyperperiod as its source; job k + n
// is job k one hyperperiod later. Of a set of newest messages each topic's node keeps a message, and one more node
// works: job k of it is for message k of the slowest topic, since each complete set has one of those.
//
// A source whose phase is not known, with a least distance T of its nominal releases, has at most one of them in each turn
// of a grid of any period up to T. So it has jobs, too: each is released within its turn, and by the jitter later, or not
// at all. The phases of all others stay known. Phases are known to each other only of sources whose offsets count from one
// epoch: that of most of them.
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

/// What jobs compete for: a place in the order of urgency of one core.
struct JobLevel
{
  Index core = kNone;
  int urgency = 0;   ///< OS priority
  int priority = 0;  ///< within the thread
  bool shared =
    false;  ///< several threads of the core have this OS priority: within it nothing is preferred
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
    Ns delay = 0;  ///< of the message, at most
  };

  Index task = kNone;
  Index level = kNone;    ///< of JobGraph::levels
  Ns period = 0;          ///< of its source; of its grid, if the phase is not known
  Ns offset = 0;          ///< of its source's first release
  Ns jitter = 0;          ///< of its own release
  bool unphased = false;  ///< the phase of its source is not known
  Ns distance = 0;        ///< then: of nominal releases of the source, at least
  std::int64_t jobs = 0;  ///< in a hyperperiod
  Ns cost = 0;            ///< of each job
  Ns run = 0;             ///< of the run that it is part of
  std::vector<From>
    from;               ///< its job k starts when those of all of them have ended; empty: a release
  bool joined = false;  ///< `from` are messages of all topics, none goes on alone
  /// Of the work on a set: one node for each topic; not `from`.
  std::vector<Index> topics;
  Index slowest = 0;  ///< of `topics`
  SetStart start = SetStart::first;
  bool any_start =
    false;  ///< a source on the way is unphased: sets may begin with any messages, and change for ever
};

/// A part of the model whose tasks start each other or share cores.
struct JobGraph
{
  Ns hyperperiod = 0;
  std::vector<JobNode> nodes;  ///< each behind those that start it
  std::vector<JobLevel> levels;
  std::vector<Ns> ceilings;  ///< per level: a less urgent thread's publish or take at most
  std::vector<std::vector<Index>> others;  ///< per level: of Model::others, those that may delay it
  std::vector<Index> node_of_stream;       ///< kNone: not of this part
  bool from_start = false;  ///< known phases count from the start of a process, not on a clock
  std::string refusal;      ///< why it has no windows; empty: it may have
};

/// More jobs, or nodes, than this are not looked at: time grows with the cube of the nodes of a core.
inline constexpr std::int64_t kMostJobs = 20'000;
inline constexpr std::size_t kMostNodes = 2'000;

/// All parts of the model.
std::vector<JobGraph> job_graphs(const Model & model, const Flow & flow);

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_GRAPH_HPP_
