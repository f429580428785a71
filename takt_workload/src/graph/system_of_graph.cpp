#include "graph/system_of_graph.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "graph/callback_table.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_workload
{
namespace
{

using namespace std::chrono_literals;
using takt_schedule::CallbackModel;

// CPU time for each wake-up of a stall witness: three times the measured 0.2 % of its core.
constexpr takt_rt::Duration kWitnessTime = 60us;

class Builder
{
public:
  Builder(const Graph & graph, const SystemOptions & options)
  : graph_(graph),
    options_(options),
    table_(graph)
  {
  }

  takt_schedule::System build()
  {
    takt_schedule::HostModel host;
    host.name = "machine";
    host.cores.resize(static_cast<std::size_t>(options_.cores));
    std::iota(host.cores.begin(), host.cores.end(), 0);
    host.overheads = options_.overheads;
    host.has_overheads = options_.has_overheads;
    for (int core = 0; options_.witness && core < options_.cores; ++core) {
      takt_schedule::OtherThread witness;
      witness.name = "witness_" + std::to_string(core);
      witness.priority = takt_trace::StallWitness::kPriority;
      witness.cores = {core};
      witness.time = kWitnessTime;
      witness.period = takt_trace::StallWitness::kPeriod;
      host.other_threads.push_back(std::move(witness));
    }
    system_.hosts.push_back(std::move(host));
    system_.communication.processes = options_.between_processes;
    add_groups();
    for (std::uint32_t i = 0; i < table_.callbacks().size(); ++i) {
      add_callback(i);
    }
    for (const Chain & chain : graph_.chains) {
      add_chain(chain);
    }
    return std::move(system_);
  }

private:
  bool is_set(const CallbackEntry & entry) const
  {
    const Node & node = graph_.nodes[entry.node];
    return node.kind == NodeKind::fusion && node.inputs.size() > 1;
  }

  /// A group with only one callback is not listed.
  void add_groups()
  {
    std::vector<int> members(graph_.nodes.size(), 0);
    for (const CallbackEntry & entry : table_.callbacks()) {
      members[entry.node] += is_set(entry) && entry.input > 0 ? 0 : 1;
    }
    for (const CallbackEntry & entry : table_.callbacks()) {
      const bool reentrant = graph_.nodes[entry.node].grouping == Grouping::reentrant;
      if ((members[entry.node] > 1 || reentrant) && groups_.insert(entry.group).second) {
        using takt_core::GroupKind;
        system_.groups.push_back(
          {entry.group, reentrant ? GroupKind::reentrant : GroupKind::mutually_exclusive, {}});
      }
    }
  }

  void add_callback(std::uint32_t index)
  {
    const CallbackEntry & entry = table_.callbacks()[index];
    const Node & node = graph_.nodes[entry.node];
    if (is_set(entry) && entry.input > 0) {
      return;  // added with the first callback of the set
    }
    CallbackModel callback;
    callback.id = entry.id;
    callback.executor =
      options_.parts.empty() ? "main" : "part_" + std::to_string(options_.parts[entry.node] + 1);
    callback.host = system_.hosts.front().name;
    callback.group = groups_.contains(entry.group) ? entry.group : "";
    callback.time.worst = entry.work.longest;
    callback.time.best = entry.work.shortest;
    callback.sleep = entry.sleep.longest;
    take_measured(entry.id, callback);
    if (entry.timer) {
      callback.period = entry.period;
      callback.offset = node.offset.value_or(node.period);
      callback.jitter = options_.jitter;
      for (const Input & input : node.inputs) {
        auto & all = callback.reads;
        if (std::find(all.begin(), all.end(), input.topic) == all.end()) {
          all.push_back(input.topic);
        }
      }
    } else {
      callback.triggers = {node.inputs[entry.input].topic};
      callback.depth = node.inputs[entry.input].depth;
      callback.depth_known = true;
    }
    if (is_set(entry)) {
      callback.trigger = takt_schedule::Trigger::newest;
      callback.triggers.clear();
      for (const Input & input : node.inputs) {
        callback.triggers.push_back(input.topic);
        callback.depth = std::min(callback.depth, input.depth);
      }
      for (const std::uint32_t one : table_.of_node(entry.node)) {
        callback.ids.push_back(table_.callbacks()[one].id);
        take_measured(callback.ids.back(), callback);
      }
    }
    if (entry.output_topic != kNone) {
      callback.publishes = {table_.topics()[entry.output_topic].name};
    }
    system_.callbacks.push_back(std::move(callback));
  }

  /// For a set, takes the longest time of its subscriptions.
  void take_measured(const std::string & id, CallbackModel & callback) const
  {
    if (const auto found = options_.times.find(id); found != options_.times.end()) {
      const bool first = callback.ids.size() < 2;
      callback.time.worst = first ? found->second : std::max(callback.time.worst, found->second);
      callback.time.best = std::min(callback.time.best, callback.time.worst);
    }
  }

  void add_chain(const Chain & chain)
  {
    takt_schedule::ChainSchedule entry;
    entry.options.name = chain.name;
    entry.options.path = chain.path;
    entry.options.priority = chain.priority;
    entry.options.deadline = chain.deadline;
    const CallbackEntry & root = table_.callbacks()[table_.find(chain.path.front())];
    entry.options.period = root.period;
    system_.chains.push_back(std::move(entry));
  }

  const Graph & graph_;
  const SystemOptions & options_;
  const CallbackTable table_;
  takt_schedule::System system_;
  std::set<std::string> groups_;  // groups that the model lists
};

}  // namespace

takt_schedule::System system_of(const Graph & graph, const SystemOptions & options)
{
  return Builder(graph, options).build();
}

}  // namespace takt_workload
