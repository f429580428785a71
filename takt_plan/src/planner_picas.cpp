// `picas`: priorities R1 to R7 and node allocation of the RTAS 2021 paper.
//
// The paper's executor is one SCHED_FIFO thread pinned to a core: a block here. There is always an
// empty one for the next chain (case A), as in the paper's case study; case B is for systems with
// fewer executors than chains. The paper allocates nodes; callbacks of one node of one executor of the
// system stay together here, and so do exclusive groups.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "planners.hpp"

namespace takt_plan::detail
{
namespace
{

struct Node
{
  std::vector<Index> tasks;
  std::vector<Index> cores;
  Index executor = kNone;
  double utilization = 0;
  int least = 0;  ///< lowest callback priority in it
  int most = 0;
};

class Allocation
{
public:
  explicit Allocation(const PlanProblem & problem) : problem_(problem), layout_(problem)
  {
    number_callbacks();
    find_nodes();
  }

  Layout allocate()
  {
    for (const Index chain : problem_.chains) {
      for (std::vector<Index> nodes = open_nodes(chain); !nodes.empty();
           nodes = open_nodes(chain)) {
        place_some(chain, std::move(nodes));
      }
    }
    for (const Index node : by_priority()) {  // of no chain
      if (!placed_[node]) {
        put(kNone, {node}, least_used(nodes_[node].cores), false);
      }
    }
    return std::move(layout_);
  }

private:
  // From the top: chains by importance, of each its regular callbacks from last to first, then its
  // timer. A shared callback keeps the lower number. (As in the authors' artefact.)
  void number_callbacks()
  {
    const auto & tasks = problem_.model.tasks;
    priority_.assign(tasks.size(), 0);
    auto next = static_cast<int>(tasks.size());
    for (const Index chain : problem_.chains) {
      std::vector<Index> path = problem_.model.chains[chain].path;
      std::reverse(path.begin(), path.end());
      std::stable_partition(path.begin(), path.end(), [&](Index t) { return !tasks[t].timer; });
      for (const Index task : path) {
        priority_[task] = next--;
      }
    }
    for (auto task = problem_.order.rbegin(); task != problem_.order.rend(); ++task) {
      if (priority_[*task] == 0) {
        priority_[*task] = next--;
      }
    }
  }

  void find_nodes()
  {
    std::map<std::pair<Index, std::string>, Index> by_name;
    for (Index unit = 0; unit < problem_.units.size(); ++unit) {
      const Unit & one = problem_.units[unit];
      const std::string & id = problem_.model.tasks[one.tasks.front()].id;
      const auto [entry, fresh] =
        by_name.try_emplace({one.executor, id.substr(0, id.find(':'))}, nodes_.size());
      Index index = entry->second;
      if (!fresh && common(nodes_[index].cores, one.cores).empty()) {
        index = nodes_.size();  // pinned to different cores: they cannot stay together
      }
      if (index == nodes_.size()) {
        nodes_.push_back({{}, one.cores, one.executor, 0, 0, 0});
      }
      Node & node = nodes_[index];
      node.cores = common(node.cores, one.cores);
      node.tasks.insert(node.tasks.end(), one.tasks.begin(), one.tasks.end());
      node.utilization += one.utilization;
    }
    for (Node & node : nodes_) {
      std::sort(node.tasks.begin(), node.tasks.end(), [&](Index a, Index b) {
        return priority_[a] > priority_[b];
      });
      node.most = priority_[node.tasks.front()];
      node.least = priority_[node.tasks.back()];
    }
    placed_.assign(nodes_.size(), 0);
  }

  static std::vector<Index> common(const std::vector<Index> & a, const std::vector<Index> & b)
  {
    std::vector<Index> both;
    std::copy_if(a.begin(), a.end(), std::back_inserter(both), [&](Index core) {
      return std::find(b.begin(), b.end(), core) != b.end();
    });
    return both;
  }

  std::vector<Index> by_priority() const
  {
    std::vector<Index> order(nodes_.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return nodes_[a].most > nodes_[b].most;
    });
    return order;
  }

  /// Nodes of the chain that are not placed yet, the one with the lowest callback last.
  std::vector<Index> open_nodes(Index chain) const
  {
    std::vector<Index> nodes;
    for (const Index node : by_priority()) {
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

  // Case A: as many of the nodes as fit on one CPU become an executor there.
  void place_some(Index chain, std::vector<Index> nodes)
  {
    while (true) {
      std::vector<Index> cores = nodes_[nodes.front()].cores;
      for (const Index node : nodes) {
        cores = common(cores, nodes_[node].cores);
      }
      std::vector<Index> fitting;
      std::copy_if(cores.begin(), cores.end(), std::back_inserter(fitting), [&](Index core) {
        return used(core) + load(nodes) <= 1e-12;
      });
      std::vector<Index> ruled;
      std::copy_if(fitting.begin(), fitting.end(), std::back_inserter(ruled), [&](Index core) {
        return rules_hold(chain, nodes, core);
      });
      if (!ruled.empty()) {
        put(chain, nodes, least_used(ruled), false);
        return;
      }
      if (!fitting.empty()) {  // case C (i): callback priorities alone decide
        put(chain, nodes, least_used(fitting), true);
        return;
      }
      if (nodes.size() == 1) {  // case C (ii)
        put(chain, nodes, least_used(cores), false);
        return;
      }
      nodes.pop_back();
    }
  }

  // R7 puts executors that are there above the new one; R6 would not, if they hold callbacks of this
  // chain that come before one of the new executor's.
  bool rules_hold(Index chain, const std::vector<Index> & nodes, Index core) const
  {
    const auto & path = problem_.model.chains[chain].path;
    std::vector<char> fresh(problem_.model.tasks.size(), 0);
    for (const Index node : nodes) {
      for (const Index task : nodes_[node].tasks) {
        fresh[task] = 1;
      }
    }
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

  // `alone`: all executors of the CPU become one.
  void put(Index chain, const std::vector<Index> & nodes, Index core, bool alone)
  {
    std::map<Index, std::vector<Index>> of_executor;
    for (const Index node : nodes) {
      placed_[node] = 1;
      auto & tasks = of_executor[nodes_[node].executor];
      tasks.insert(tasks.end(), nodes_[node].tasks.begin(), nodes_[node].tasks.end());
    }
    std::vector<Block> blocks = layout_.on(core);
    for (auto & [executor, tasks] : of_executor) {
      blocks.push_back({executor, std::move(tasks), kUnbounded, chain});
    }
    if (alone) {
      merge(blocks);
    }
    for (Block & block : blocks) {
      std::stable_sort(block.tasks.begin(), block.tasks.end(), [&](Index a, Index b) {
        return priority_[a] > priority_[b];
      });
    }
    // R6 and R7 are those of the callbacks' numbers: the later in a chain, and the more important
    // the chain, the higher.
    std::stable_sort(blocks.begin(), blocks.end(), [&](const Block & a, const Block & b) {
      return priority_[a.tasks.front()] > priority_[b.tasks.front()];
    });
    layout_.set(core, std::move(blocks));
  }

  static void merge(std::vector<Block> & blocks)
  {
    std::vector<Block> merged;
    for (Block & block : blocks) {
      const auto same = std::find_if(merged.begin(), merged.end(), [&](const Block & other) {
        return other.executor == block.executor;
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
  Layout layout_;
  std::vector<int> priority_;  // of callbacks, higher first
  std::vector<Node> nodes_;
  std::vector<char> placed_;
};

}  // namespace

Layout plan_picas(const PlanProblem & problem)
{
  return Allocation(problem).allocate();
}

}  // namespace takt_plan::detail
