// The graph of a simulation: messages, the histories they wait in, and which chains they belong to.
//
// It does what middleware and clients do around a scheduler: keeps the last messages of each topic for
// each callback, joins one of every topic where the system says so, and hands a run what it takes. A
// message knows by which steps of which chains it came. Nothing here has a clock or picks what runs.
//
// Messages are kept in place: once the histories have been full, nothing allocates.
#ifndef TAKT_PLAN__SRC__SIMULATED_GRAPH_HPP_
#define TAKT_PLAN__SRC__SIMULATED_GRAPH_HPP_

#include <cstdint>
#include <vector>

#include "takt_core/activation.hpp"
#include "takt_plan/simulation_model.hpp"

namespace takt_plan::detail
{

/// How far an activation of a chain has come: the steps of all chains are numbered one after another.
struct Progress
{
  Index step = kNone;
  Ns release = 0;  ///< of the chain's root
};

/// What a message brings, and a run has.
struct Load
{
  Ns source = 0;  ///< nominal release of the source that started it
  /// Of what it publishes: the same; of a set of newest messages the one that was released last.
  Ns passed_source = 0;
  bool works = true;     ///< false: it only keeps a message until its set is complete
  Index caller = kNone;  ///< thread whose run waits for the end of the run that takes this
  std::vector<Progress> progress;  ///< with the steps of whoever has it
};

/// A place where a callback's messages go.
struct Output
{
  Index to = kNone;
  Index topic = 0;
  Ns delay = 0;
  bool reads = false;  ///< it starts nothing: the latest message is kept
  bool starts_too =
    false;  ///< then: the publisher's messages also start it, and chains go on by those
  bool same_executor = false;  ///< its activation is known there
  Ns last = 0;  ///< arrival of the message before: messages do not overtake each other
};

/// Messages of one task, over all its topics.
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
  /// Where its run's requests go, as Task::waits_for has them.
  const std::vector<Output> & calls(Index task) const { return calls_[task]; }

  /// How many announced messages can wait for the task at once.
  std::uint32_t capacity(Index task) const { return inputs_[task].capacity; }

  /// What a message from a run that has `from` brings to where it goes.
  void pass(const Load & from, const Output & output, Load & message) const;

  /// A message arrives; `activations`: what it works for, as far as that is known there. Returns the
  /// activations to announce the task with, nullptr if there is nothing to announce.
  const takt_core::ActivationSet * receive(
    Index to, Index topic, const Load & message, const takt_core::ActivationSet & activations);
  /// The same for one that is only read.
  void keep(Index to, Index topic, const Load & message);
  /// A message from outside of the model.
  void receive_outside(Index to, Ns nominal);

  /// Fills in what a run of `task` takes; false if nothing waits. `release`: its own.
  bool take(Index task, Ns release, Load & run);

  /// Nothing is released any more. Messages that wait for a set have no response from here on: on a running system the next
  /// one of their topic would be kept in place of them.
  void end_releases() { released_ = false; }

  /// Whether the chain of `step` ends there.
  bool ends(Index step) const { return step_task_[step + 1] == kNone; }
  bool begins(Index step) const { return step == 0 || step_task_[step - 1] == kNone; }
  Index chain(Index step) const { return step_chain_[step]; }

  MessageCounts counts(Index task) const;

private:
  struct Kept
  {
    Load load;
    std::uint64_t sequence = 0;
    takt_core::ActivationSet activations;  // only where messages are joined
  };

  /// KEEP_LAST: when it is full the oldest is overwritten.
  class History
  {
  public:
    explicit History(std::uint32_t depth) : depth_(depth) {}
    bool empty() const { return size_ == 0; }
    std::uint32_t size() const { return size_; }
    Kept & front() { return slots_[begin_]; }
    const Kept & front() const { return slots_[begin_]; }
    void pop();
    /// Room for one at the end; `overwritten`: it was the oldest one's.
    Kept & push(bool & overwritten);

  private:
    void grow();

    std::uint32_t depth_;
    std::vector<Kept> slots_;  // as many as ever waited, about
    std::uint32_t begin_ = 0, size_ = 0;
  };

  struct Latest
  {
    Load load;
    bool fresh = false;  // no run has used it yet
  };

  struct Input
  {
    bool all = false;
    bool from_outside = false;  // its last topic is nobody's in the model
    std::uint32_t capacity = 1;
    std::vector<History> topics;  // all: what waits for the others
    std::vector<History> joined;  // all: one; else none
    std::vector<Latest> reads;
    std::vector<Latest> newest;  // of each topic, where sets of them are worked on; fresh: is there
    MessageCounts counts;
  };

  void add_steps(const Model & model);
  void add_inputs(const SimulationModel & model);
  void add_outputs(const Model & model);
  void add_call(const Model & model, Index from, Index to);
  History & oldest(Input & input);
  const takt_core::ActivationSet * join(Input & input);
  void complete(Input & input, Index topic, Load & run) const;

  std::vector<std::vector<Output>> outputs_;
  std::vector<std::vector<Output>> calls_;
  std::vector<Input> inputs_;
  std::vector<Index> step_task_;  // kNone behind each chain's last
  std::vector<Index> step_chain_;
  std::vector<std::vector<Index>> roots_;  // per task: first steps of the chains that begin there
  std::uint64_t sequence_ = 0;
  bool released_ = true;  // whether anything is, still
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__SIMULATED_GRAPH_HPP_
