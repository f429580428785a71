// The graph of a simulation: messages, the histories that keep them, and the chains that they
// belong to.
//
// It does the work of middleware and clients around a scheduler. It keeps the last messages of each
// topic for each callback, joins one message of each topic if the system says so, and gives a run
// its message. A message has the steps of the chains along which it came. The graph has no clock,
// and does not choose which callback runs.
//
// Messages stay in place: once each history has been full, the graph does not allocate.
#ifndef TAKT_PLAN__SRC__SIMULATED_GRAPH_HPP_
#define TAKT_PLAN__SRC__SIMULATED_GRAPH_HPP_

#include <cstdint>
#include <vector>

#include "takt_core/activation.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_plan::detail
{

/// The progress of one activation of a chain. The steps of all chains have consecutive numbers.
struct Progress
{
  Index step = kNone;
  Ns release = 0;  ///< release of the chain's root
};

/// The data that a message carries and a run has.
struct Load
{
  Ns source = 0;  ///< Nominal release of the source that started it.
  /// The same for its published messages. For a set of newest messages: the release of the source
  /// that was released last.
  Ns passed_source = 0;
  bool works = true;     ///< false: it only keeps a message until its set is complete
  Index caller = kNone;  ///< the thread whose run waits for the end of the run that takes this
                         ///< message
  std::vector<Progress> progress;  ///< one entry for each chain activation that it belongs to
};

/// A destination of a callback's messages.
struct Output
{
  Index to = kNone;
  Index topic = 0;
  Ns delay = 0;
  bool reads = false;  ///< the receiver only reads: it keeps the latest message and is not started
  /// For such a receiver: the publisher's messages also start it, and chains go on by those.
  bool starts_too = false;
  bool same_executor = false;  ///< the receiver knows the message's activation
  Ns last = 0;  ///< arrival of the message before; messages do not overtake each other
};

/// Counts of the messages of one task, over all its topics.
struct MessageCounts
{
  std::uint64_t received = 0;
  std::uint64_t taken = 0;
  std::uint64_t overwritten = 0;
  std::uint64_t waiting = 0;
};

class SimulatedGraph
{
public:
  explicit SimulatedGraph(const SimulationModel & model);

  std::vector<Output> & outputs(Index task) { return outputs_[task]; }
  /// The destinations of the requests of a task's run, in the order of Task::waits_for.
  const std::vector<Output> & calls(Index task) const { return calls_[task]; }

  /// The largest number of announced messages that can wait for the task.
  std::uint32_t capacity(Index task) const { return inputs_[task].capacity; }

  /// Fills `message` for this output from a run with the load `from`.
  void pass(const Load & from, const Output & output, Load & message) const;

  /// A message arrives. `activations`: those of the sender, as far as the receiver knows them.
  /// Returns the activations for the announcement of the task; nullptr: there is nothing to
  /// announce.
  const takt_core::ActivationSet * receive(
    Index to, Index topic, const Load & message, const takt_core::ActivationSet & activations);
  /// The same for a message that the task only reads. `arrived`: when it arrives for the scheduler.
  void keep(Index to, Index topic, const Load & message, Ns arrived);
  /// A message from outside of the model.
  void receive_outside(Index to, Ns nominal);

  /// Fills `run` with the data of the next message for `task`; false if no message waits.
  /// `release`: of the task itself.
  bool take(Index task, Ns release, Load & run);

  /// No source releases any more. From now on, messages that wait for a set have no response: on a
  /// running system the next message of their topic would replace them.
  void end_releases() { released_ = false; }

  /// True if the chain of `step` ends at this step.
  bool ends(Index step) const { return step_task_[step + 1] == kNone; }
  bool begins(Index step) const { return step == 0 || step_task_[step - 1] == kNone; }
  Index chain(Index step) const { return step_chain_[step]; }

  MessageCounts counts(Index task) const;

private:
  struct Kept
  {
    Load load;
    std::uint64_t sequence = 0;
    takt_core::ActivationSet activations;  // only for messages that are joined
  };

  /// KEEP_LAST: a new message overwrites the oldest one in a full history.
  class History
  {
  public:
    explicit History(std::uint32_t depth) : depth_(depth) {}
    bool empty() const { return size_ == 0; }
    std::uint32_t size() const { return size_; }
    Kept & front() { return slots_[begin_]; }
    const Kept & front() const { return slots_[begin_]; }
    void pop();
    /// Adds an entry at the end. `overwritten`: it replaced the oldest one.
    Kept & push(bool & overwritten);

  private:
    void grow();

    std::uint32_t depth_;
    std::vector<Kept> slots_;  // about as many as have waited at the same time
    std::uint32_t begin_ = 0, size_ = 0;
  };

  struct Latest
  {
    Load load;
    bool fresh = false;  // no run has used this message yet
  };

  struct Later
  {
    Ns arrived = 0;
    Index topic = 0;
    Load load;
  };

  struct Input
  {
    bool all = false;
    // Reads the messages that arrived by its release (logical execution time).
    bool by_release = false;
    std::vector<Later> later;   // for such a task: messages that no run has seen yet
    bool from_outside = false;  // its last topic has no publisher in the model
    std::uint32_t capacity = 1;
    std::vector<History> topics;  // with Task::all: messages that wait for those of other topics
    std::vector<History> joined;  // with Task::all: one history; otherwise empty
    std::vector<Latest> reads;
    std::vector<Latest> newest;  // of each topic, for tasks with sets of newest messages; fresh:
                                 // the topic has a message
    MessageCounts counts;
  };

  void add_steps(const Model & model);
  void add_inputs(const SimulationModel & model);
  void add_outputs(const Model & model);
  void add_call(const Model & model, Index from, Index to);
  static void see(Input & input, Ns release);
  History & oldest(Input & input);
  const takt_core::ActivationSet * join(Input & input);
  void complete(Input & input, Index topic, Load & run) const;

  std::vector<std::vector<Output>> outputs_;
  std::vector<std::vector<Output>> calls_;
  std::vector<Input> inputs_;
  std::vector<Index> step_task_;  // kNone behind the last step of each chain
  std::vector<Index> step_chain_;
  std::vector<std::vector<Index>> roots_;  // per task: the first steps of the chains that begin
                                           // there
  std::uint64_t sequence_ = 0;
  bool released_ = true;  // sources still release
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATED_GRAPH_HPP_
