#include "simulation/simulated_graph.hpp"

#include <algorithm>

namespace takt_plan::detail
{

void SimulatedGraph::History::pop()
{
  begin_ = begin_ + 1 == slots_.size() ? 0 : begin_ + 1;
  --size_;
}

void SimulatedGraph::History::grow()
{
  std::rotate(slots_.begin(), slots_.begin() + begin_, slots_.end());
  begin_ = 0;
  slots_.resize(std::min<std::size_t>(depth_, std::max<std::size_t>(4, 2 * slots_.size())));
}

SimulatedGraph::Kept & SimulatedGraph::History::push(bool & overwritten)
{
  overwritten = size_ == depth_;
  if (overwritten) {
    pop();
  } else if (size_ == slots_.size()) {
    grow();
  }
  const auto end = begin_ + size_++;
  return slots_[end < slots_.size() ? end : end - slots_.size()];
}

SimulatedGraph::SimulatedGraph(const SimulationModel & model)
: outputs_(model.model.tasks.size()),
  calls_(model.model.tasks.size()),
  roots_(model.model.tasks.size())
{
  add_steps(model.model);
  add_inputs(model);
  add_outputs(model.model);
}

void SimulatedGraph::add_steps(const Model & model)
{
  for (Index chain = 0; chain < model.chains.size(); ++chain) {
    const std::vector<Index> & path = model.chains[chain].path;
    if (!path.empty()) {
      roots_[path.front()].push_back(step_task_.size());
    }
    for (const Index task : path) {
      step_task_.push_back(task);
    }
    step_task_.push_back(kNone);
    step_chain_.resize(step_task_.size(), chain);
  }
}

void SimulatedGraph::add_inputs(const SimulationModel & model)
{
  for (Index i = 0; i < model.model.tasks.size(); ++i) {
    const Task & task = model.model.tasks[i];
    const std::uint32_t depth = std::max<std::uint32_t>(model.tasks[i].depth, 1);
    Input input;
    input.all = task.all;
    input.by_release = model.model.has_logical_time(task);
    input.from_outside = task.release && !task.timer;
    Index topics = 0, reads = 0;
    for (const Link & link : task.triggers) {
      topics = std::max(topics, link.topic + 1);
    }
    for (const Link & link : task.reads) {
      reads = std::max(reads, link.topic + 1);
    }
    input.reads.resize(reads);
    input.topics.assign(topics, History(depth));
    if (input.all) {
      input.joined.emplace_back(depth);
    }
    input.newest.resize(task.newest ? topics : 0);
    input.capacity = input.all ? depth : depth * static_cast<std::uint32_t>(topics);
    if (input.from_outside) {
      input.topics.emplace_back(depth);
      input.capacity += depth;
    }
    input.capacity = std::max<std::uint32_t>(input.capacity, 1);
    inputs_.push_back(std::move(input));
  }
}

void SimulatedGraph::add_outputs(const Model & model)
{
  for (Index to = 0; to < model.tasks.size(); ++to) {
    const Task & task = model.tasks[to];
    std::vector<Index> starters;
    for (const Link & link : task.triggers) {
      starters.push_back(link.from);
    }
    std::ranges::sort(starters);
    const auto add = [&](const Link & link, bool reads) {
      const bool same = model.tasks[link.from].executor == task.executor;
      const bool starts_too = reads && std::ranges::binary_search(starters, link.from);
      outputs_[link.from].push_back({to, link.topic, link.delay, reads, starts_too, same, 0});
    };
    for (const Link & link : task.triggers) {
      if (!link.call) {
        add(link, false);
      }
    }
    for (const Link & link : task.reads) {
      add(link, true);
    }
  }
  for (Index from = 0; from < model.tasks.size(); ++from) {
    for (const Index to : model.tasks[from].waits_for) {
      add_call(model, from, to);
    }
  }
}

// For several calls between the same two tasks, finds the next link.
void SimulatedGraph::add_call(const Model & model, Index from, Index to)
{
  std::size_t before = 0;
  for (const Output & call : calls_[from]) {
    before += call.to == to ? 1 : 0;
  }
  for (const Link & link : model.tasks[to].triggers) {
    if (link.call && link.from == from && before-- == 0) {
      calls_[from].push_back({to, link.topic, link.delay, false, false, false, 0});
      return;
    }
  }
}

void SimulatedGraph::pass(const Load & from, const Output & output, Load & message) const
{
  message.source = from.passed_source;
  message.caller = kNone;
  message.progress.clear();
  for (const Progress & progress : from.progress) {
    if (!output.starts_too && step_task_[progress.step + 1] == output.to) {
      message.progress.push_back({progress.step + 1, progress.release});
    }
  }
}

const takt_core::ActivationSet * SimulatedGraph::receive(
  Index to, Index topic, const Load & message, const takt_core::ActivationSet & activations)
{
  Input & input = inputs_[to];
  bool overwritten = false;
  Kept & kept = input.topics[topic].push(overwritten);
  kept.load = message;
  kept.sequence = ++sequence_;
  ++input.counts.received;
  input.counts.overwritten += overwritten ? 1 : 0;
  if (!input.all) {
    return &activations;
  }
  kept.activations = activations;
  return join(input);
}

// Joins one message of each topic in the order of arrival. The joined message has the source of the
// last one.
const takt_core::ActivationSet * SimulatedGraph::join(Input & input)
{
  const Index topics = input.topics.size() - (input.from_outside ? 1 : 0);
  const Kept * last = nullptr;
  for (Index topic = 0; topic < topics; ++topic) {
    if (input.topics[topic].empty()) {
      return nullptr;
    }
    const Kept & part = input.topics[topic].front();
    last = last == nullptr || part.sequence > last->sequence ? &part : last;
  }
  bool overwritten = false;
  Kept & joined = input.joined.front().push(overwritten);
  input.counts.overwritten += overwritten ? topics : 0;
  joined.load.source = last->load.source;
  joined.load.caller = kNone;
  joined.load.progress.clear();
  joined.activations.clear();
  joined.sequence = ++sequence_;
  for (Index topic = 0; topic < topics; ++topic) {
    const Kept & part = input.topics[topic].front();
    joined.load.progress.insert(
      joined.load.progress.end(), part.load.progress.begin(), part.load.progress.end());
    joined.activations.merge(part.activations);
    input.topics[topic].pop();
  }
  return &joined.activations;
}

void SimulatedGraph::keep(Index to, Index topic, const Load & message, Ns arrived)
{
  if (inputs_[to].by_release) {
    inputs_[to].later.push_back({arrived, topic, message});
    return;
  }
  Latest & latest = inputs_[to].reads[topic];
  latest.load = message;
  latest.fresh = true;
}

// A run reads the messages that arrived by its release.
void SimulatedGraph::see(Input & input, Ns release)
{
  std::erase_if(input.later, [&](const Later & message) {
    if (message.arrived > release) {
      return false;
    }
    input.reads[message.topic].load = message.load;
    input.reads[message.topic].fresh = true;
    return true;
  });
}

void SimulatedGraph::receive_outside(Index to, Ns nominal)
{
  Input & input = inputs_[to];
  bool overwritten = false;
  Kept & kept = input.topics.back().push(overwritten);
  kept.load.source = nominal;
  kept.load.caller = kNone;
  kept.load.progress.clear();
  for (const Index step : roots_[to]) {
    kept.load.progress.push_back({step, nominal});
  }
  kept.sequence = ++sequence_;
  ++input.counts.received;
  input.counts.overwritten += overwritten ? 1 : 0;
}

// The topic with the oldest message; any topic if no message waits.
SimulatedGraph::History & SimulatedGraph::oldest(Input & input)
{
  History * best = input.all ? &input.joined.front() : &input.topics.front();
  const Index first = input.all ? input.topics.size() - (input.from_outside ? 1 : 0) : 1;
  for (Index topic = first; topic < input.topics.size(); ++topic) {
    History & other = input.topics[topic];
    if (!other.empty() && (best->empty() || other.front().sequence < best->front().sequence)) {
      best = &other;
    }
  }
  return *best;
}

// A run that completes no set belongs to no chain. Its message belongs to chains when the set is
// complete.
void SimulatedGraph::complete(Input & input, Index topic, Load & run) const
{
  input.newest[topic].load = run;
  input.newest[topic].fresh = true;
  run.works = std::all_of(
    input.newest.begin(), input.newest.end(), [](const Latest & kept) { return kept.fresh; });
  run.progress.clear();
  for (Latest & kept : input.newest) {
    if (run.works) {
      run.passed_source = std::max(run.passed_source, kept.load.source);
      if (released_ || &kept == &input.newest[topic]) {
        const auto & progress = kept.load.progress;
        run.progress.insert(run.progress.end(), progress.begin(), progress.end());
      }
      kept.fresh = false;
    }
  }
}

bool SimulatedGraph::take(Index task, Ns release, Load & run)
{
  Input & input = inputs_[task];
  run.works = true;
  run.caller = kNone;
  if (input.topics.empty()) {  // a timer
    run.source = run.passed_source = release;
    run.progress.clear();
    for (const Index step : roots_[task]) {
      run.progress.push_back({step, release});
    }
  } else {
    History & history = oldest(input);
    if (history.empty()) {
      return false;
    }
    const bool joined = input.all && &history == &input.joined.front();
    const Load & load = history.front().load;
    run.source = run.passed_source = load.source;
    run.caller = load.caller;
    run.progress.assign(load.progress.begin(), load.progress.end());
    history.pop();
    input.counts.taken +=
      joined ? input.topics.size() - (input.from_outside ? 1 : 0) : std::size_t{1};
    if (!input.from_outside) {
      for (const Index step : roots_[task]) {  // a chain that begins at a message from another task
        run.progress.push_back({step, release});
      }
    }
    if (!input.newest.empty()) {
      complete(input, static_cast<Index>(&history - input.topics.data()), run);
    }
  }
  see(input, release);
  for (Latest & latest : input.reads) {
    if (latest.fresh && run.works) {
      latest.fresh = false;
      const auto & read = latest.load.progress;
      run.progress.insert(run.progress.end(), read.begin(), read.end());
    }
  }
  return true;
}

MessageCounts SimulatedGraph::counts(Index task) const
{
  const Input & input = inputs_[task];
  MessageCounts counts = input.counts;
  for (const History & history : input.topics) {
    counts.waiting += history.size();
  }
  for (const History & history : input.joined) {
    counts.waiting +=
      history.size() * (input.topics.size() - (input.from_outside ? std::size_t{1} : 0));
  }
  return counts;
}

}  // namespace takt_plan::detail
