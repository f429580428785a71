// `picas`: priorities R1 to R7 and node allocation of the RTAS 2021 paper.
//
// The paper's executor is one SCHED_FIFO thread pinned to a core. Here it is one block in each
// process (executor of the system) that has its callbacks. While there is an empty executor, the
// next nodes go to it (case A). With a limited number of executors the last nodes join an existing
// executor (case B).
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "planners/picas_nodes.hpp"
#include "planners/planners.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_plan::detail
{
namespace
{

using takt_rt::Faults;
using takt_rt::Result;

class Allocation
{
public:
  Allocation(const PlanProblem & problem, int executors)
  : problem_(problem),
    limit_(executors > 0 ? static_cast<Index>(executors) : kNone),
    layout_(problem),
    priority_(picas_priorities(problem)),
    nodes_(picas_nodes(problem, priority_)),
    placed_(nodes_.size(), 0),
    in_chain_(problem.model.tasks.size(), 0),
    executor_(problem.model.tasks.size(), kNone)
  {
    for (const Chain & chain : problem.model.chains) {
      for (const Index task : chain.path) {
        in_chain_[task] = 1;
      }
    }
  }

  Result<Layout> allocate()
  {
    for (const Index chain : problem_.chains) {
      for (std::vector<Index> nodes = open_nodes(chain); !nodes.empty() && faults_.empty();
           nodes = open_nodes(chain)) {
        place_some(chain, std::move(nodes));
      }
    }
    for (Index node = 0; node < nodes_.size() && faults_.empty(); ++node) {
      if (!placed_[node]) {  // the node is in no chain
        place_anyway(kNone, node, any_empty(node));
      }
    }
    if (!faults_.empty()) {
      return std::move(faults_);
    }
    return std::move(layout_);
  }

private:
  /// The nodes of the chain that are not placed yet; the one with the lowest callback comes last.
  std::vector<Index> open_nodes(Index chain) const
  {
    std::vector<Index> nodes;
    for (Index node = 0; node < nodes_.size(); ++node) {
      const auto & tasks = nodes_[node].tasks;
      const auto & path = problem_.model.chains[chain].path;
      const bool uses = std::any_of(tasks.begin(), tasks.end(), [&](Index task) {
        return std::find(path.begin(), path.end(), task) != path.end();
      });
      if (uses && !placed_[node]) {
        nodes.push_back(node);
      }
    }
    std::stable_sort(nodes.begin(), nodes.end(), [&](Index a, Index b) {
      return nodes_[a].least > nodes_[b].least;
    });
    return nodes;
  }

  double load(const std::vector<Index> & nodes) const
  {
    return std::accumulate(nodes.begin(), nodes.end(), 0.0, [&](double sum, Index node) {
      return sum + nodes_[node].utilization;
    });
  }

  double used(Index core) const { return layout_.load(core) - problem_.room[core]; }

  Index least_used(const std::vector<Index> & cores) const
  {
    return *std::min_element(
      cores.begin(), cores.end(), [&](Index a, Index b) { return used(a) < used(b); });
  }

  /// The executor of a block.
  Index executor_of(const Block & block) const { return executor_[block.tasks.front()]; }

  /// True if the node's host has an executor without callbacks.
  bool any_empty(Index node) const
  {
    if (limit_ == kNone) {
      return true;
    }
    const auto & all = problem_.model.cores;
    std::set<Index> busy;
    for (Index core = 0; core < all.size(); ++core) {
      if (all[core].host == all[nodes_[node].cores.front()].host) {
        for (const Block & block : layout_.on(core)) {
          busy.insert(executor_of(block));
        }
      }
    }
    return busy.size() < limit_;
  }

  /// The cores that can take a node. If the host has an empty executor (`empty`): all of `cores`,
  /// because that executor may be on any core. Otherwise those of `cores` that have an executor.
  std::vector<Index> open_cores(std::vector<Index> cores, bool empty) const
  {
    std::erase_if(cores, [&](Index core) { return !empty && layout_.on(core).empty(); });
    return cores;
  }

  // Puts as many of the nodes as fit on one CPU into an empty executor, or into an executor that is
  // already on that CPU.
  void place_some(Index chain, std::vector<Index> nodes)
  {
    const bool empty = any_empty(nodes.front());
    while (true) {
      std::vector<Index> cores = nodes_[nodes.front()].cores;
      for (const Index node : nodes) {
        cores = common(cores, nodes_[node].cores);
      }
      std::vector<Index> fitting = open_cores(std::move(cores), empty);
      std::erase_if(fitting, [&](Index core) { return used(core) + load(nodes) > 1e-12; });
      std::vector<Index> ruled = fitting;
      std::erase_if(ruled, [&](Index core) { return !executor_for(chain, nodes, core, empty); });
      if (!ruled.empty()) {
        const Index core = least_used(ruled);
        put(chain, nodes, core, *executor_for(chain, nodes, core, empty), false);
        return;
      }
      if (!fitting.empty()) {  // case C (i): only callback priorities decide
        const Index core = least_used(fitting);
        put(chain, nodes, core, executor_of(layout_.on(core).front()), true);
        return;
      }
      if (nodes.size() == 1) {
        place_anyway(chain, nodes.front(), empty);
        return;
      }
      nodes.pop_back();
    }
  }

  // Puts a node that fits on no CPU on the least used one: case C (ii) of the paper. Nodes without
  // a chain, which the paper does not treat, go there, too. An executor stays on its CPU. So if no
  // executor is empty, only the CPUs with an executor remain.
  void place_anyway(Index chain, Index node, bool empty)
  {
    const std::vector<Index> cores = open_cores(nodes_[node].cores, empty);
    if (cores.empty()) {
      const Index task = nodes_[node].tasks.front();
      faults_.push_back(
        "picas has no executor on a core that " +
        takt_schedule::quoted(problem_.model.tasks[task].id) +
        " may use, and the limit of executors is " + std::to_string(limit_) + "; raise the limit");
      return;
    }
    const Index core = least_used(cores);
    Index executor = node;
    if (!empty) {
      executor = executor_of(layout_.on(core).back());
      executor =
        chain == kNone ? executor : executor_for(chain, {node}, core, empty).value_or(executor);
    }
    put(chain, {node}, core, executor, false);
  }

  /// The executor on the core that may take the nodes; nothing: the rules forbid it.
  std::optional<Index> executor_for(
    Index chain, const std::vector<Index> & nodes, Index core, bool empty) const
  {
    if (empty) {
      return rules_hold(chain, nodes, core) ? std::optional(nodes.front()) : std::nullopt;
    }
    for (const Block & block : layout_.on(core)) {
      if (rules_hold_joined(chain, nodes, core, executor_of(block))) {
        return executor_of(block);
      }
    }
    return std::nullopt;
  }

  // True if the nodes may become a new executor on the core. R7 puts the core's existing executors
  // above the new one. R6 forbids this if an existing executor has a callback of this chain that
  // precedes a callback of the new executor.
  bool rules_hold(Index chain, const std::vector<Index> & nodes, Index core) const
  {
    const auto & path = problem_.model.chains[chain].path;
    const std::vector<char> fresh = marked(nodes);
    std::vector<char> there(problem_.model.tasks.size(), 0);
    for (const Block & block : layout_.on(core)) {
      for (const Index task : block.tasks) {
        there[task] = block.cluster == chain ? 0 : 1;
      }
    }
    bool before = false;
    for (const Index task : path) {
      if (fresh[task] && before) {
        return false;
      }
      before = before || there[task];
    }
    return true;
  }

  /// The range of the priorities of an executor's callbacks in chains.
  struct Span
  {
    int least = std::numeric_limits<int>::max();
    int most = std::numeric_limits<int>::min();
  };

  void widen(Span & span, const std::vector<Index> & tasks) const
  {
    for (const Index task : tasks) {
      if (in_chain_[task]) {
        span.least = std::min(span.least, priority_[task]);
        span.most = std::max(span.most, priority_[task]);
      }
    }
  }

  // True if the executor with the nodes keeps two rules. R7: it is entirely above or below each
  // other executor of its CPU. R6: a chain only goes up from one executor to the next.
  bool rules_hold_joined(
    Index chain, const std::vector<Index> & nodes, Index core, Index executor) const
  {
    std::map<Index, Span> spans;
    for (const Index node : nodes) {
      widen(spans[executor], nodes_[node].tasks);
    }
    std::vector<Index> holder(problem_.model.tasks.size(), kNone);
    for (const Block & block : layout_.on(core)) {
      widen(spans[executor_of(block)], block.tasks);
      for (const Index task : block.tasks) {
        holder[task] = executor_of(block);
      }
    }
    const Span own = spans[executor];
    for (const auto & [other, span] : spans) {
      if (other != executor && span.least < own.most && own.least < span.most) {
        return false;
      }
    }
    const std::vector<char> fresh = marked(nodes);
    bool above = false;
    bool here = false;
    for (const Index task : problem_.model.chains[chain].path) {
      if (fresh[task] || holder[task] == executor) {
        here = true;
        if (above) {
          return false;
        }
      } else if (holder[task] != kNone) {
        const bool higher = spans[holder[task]].least > own.most;
        if (here && !higher) {
          return false;
        }
        above = above || higher;
      }
    }
    return true;
  }

  /// Per task: true if it belongs to one of the nodes.
  std::vector<char> marked(const std::vector<Index> & nodes) const
  {
    std::vector<char> result(problem_.model.tasks.size(), 0);
    for (const Index node : nodes) {
      for (const Index task : nodes_[node].tasks) {
        result[task] = 1;
      }
    }
    return result;
  }

  // `alone`: joins all executors of the CPU into one.
  void put(Index chain, const std::vector<Index> & nodes, Index core, Index executor, bool alone)
  {
    std::map<Index, std::vector<Index>> by_process;
    for (const Index node : nodes) {
      placed_[node] = 1;
      auto & tasks = by_process[nodes_[node].executor];
      tasks.insert(tasks.end(), nodes_[node].tasks.begin(), nodes_[node].tasks.end());
    }
    std::vector<Block> blocks = layout_.on(core);
    for (auto & [process, tasks] : by_process) {
      for (const Index task : tasks) {
        executor_[task] = executor;
      }
      blocks.push_back({process, std::move(tasks), kUnbounded, chain});
    }
    if (alone) {
      for (const Block & block : blocks) {
        for (const Index task : block.tasks) {
          executor_[task] = executor;
        }
      }
    }
    merge(blocks);
    for (Block & block : blocks) {
      std::stable_sort(block.tasks.begin(), block.tasks.end(), [&](Index a, Index b) {
        return priority_[a] > priority_[b];
      });
    }
    // The priorities of callbacks keep R6 and R7: callbacks that are later in a chain, and
    // callbacks of more important chains, have higher ones.
    std::stable_sort(blocks.begin(), blocks.end(), [&](const Block & a, const Block & b) {
      return priority_[a.tasks.front()] > priority_[b.tasks.front()];
    });
    layout_.set(core, std::move(blocks));
  }

  // The tasks of one executor in one process share one thread.
  void merge(std::vector<Block> & blocks) const
  {
    std::vector<Block> merged;
    for (Block & block : blocks) {
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Block & other) {
        return other.executor == block.executor && executor_of(other) == executor_of(block);
      });
      if (same == merged.end()) {
        merged.push_back(std::move(block));
      } else {
        same->tasks.insert(same->tasks.end(), block.tasks.begin(), block.tasks.end());
      }
    }
    blocks = std::move(merged);
  }

  const PlanProblem & problem_;
  const Index limit_;  // executors per host; kNone: no limit
  Layout layout_;
  const std::vector<int> priority_;  // of callbacks; higher runs first
  const std::vector<PicasNode> nodes_;
  std::vector<char> placed_;
  std::vector<char> in_chain_;  // per task
  // Per task: its executor in the paper's sense, named by the first node in it.
  std::vector<Index> executor_;
  Faults faults_;
};

}  // namespace

Result<Layout> plan_picas(const PlanProblem & problem, int executors)
{
  return Allocation(problem, executors).allocate();
}

}  // namespace takt_plan::detail
