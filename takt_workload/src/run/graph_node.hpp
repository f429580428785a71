// A running node of a graph: real publishers, subscriptions and timers on takt_rcl.
#ifndef TAKT_WORKLOAD__SRC__RUN__GRAPH_NODE_HPP_
#define TAKT_WORKLOAD__SRC__RUN__GRAPH_NODE_HPP_

#include <memory>
#include <utility>
#include <vector>

#include "graph/callback_table.hpp"
#include "graph/graph.hpp"
#include "records/records.hpp"
#include "run/work.hpp"
#include "takt_rcl/context.hpp"
#include "takt_rcl/node.hpp"

namespace takt_workload
{

/// Data that the nodes of one process share. It outlives the nodes.
struct NodeSettings
{
  std::shared_ptr<takt_rcl::Context> context;
  Work work{1000.0};
  std::uint64_t seed = 0;
  std::size_t lanes = 1;      ///< concurrent runs of a reentrant callback: executor threads
  std::size_t originals = 0;  ///< room for samples of a command node
};

class GraphNode
{
public:
  virtual ~GraphNode() = default;

  takt_rcl::Node & ros() noexcept { return *node_; }

  struct Publication
  {
    std::uint32_t topic = kNone;
    std::shared_ptr<takt_rcl::PublisherBase> publisher;
  };
  struct Reception
  {
    std::uint32_t callback = kNone;
    std::shared_ptr<takt_rcl::SubscriptionBase> subscription;
  };
  const std::vector<Publication> & publications() const noexcept { return publications_; }
  const std::vector<Reception> & receptions() const noexcept { return receptions_; }

  /// The samples of a command node; other nodes have none. Not while the executor runs.
  virtual std::vector<OriginalSample> originals() const { return {}; }

protected:
  GraphNode(const Graph & graph, const Node & spec, const NodeSettings & settings);

  std::unique_ptr<takt_rcl::Node> node_;
  std::vector<Publication> publications_;
  std::vector<Reception> receptions_;
  std::vector<std::shared_ptr<takt_rcl::Timer>> timers_;
};

/// Creates node `number` of the graph with the reference system's behaviour (graph.hpp, NodeKind).
/// `graph`, `table` and `settings` must outlive it. Set-up only; throws takt_rcl::Error.
std::unique_ptr<GraphNode> make_node(
  const Graph & graph, const CallbackTable & table, std::uint32_t number,
  const NodeSettings & settings);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__RUN__GRAPH_NODE_HPP_
