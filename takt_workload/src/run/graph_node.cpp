#include "run/graph_node.hpp"

#include "graph/callbacks_between.hpp"
#include "run/node_command.hpp"
#include "run/node_kinds.hpp"

namespace takt_workload
{

namespace
{

takt_rcl::NodeOptions options_for(const NodeSettings & settings)
{
  takt_rcl::NodeOptions options;
  options.context(settings.context);
  options.enable_rosout(false);  // so that the node has no publisher outside of the graph
  return options;
}

template <typename Msg>
std::unique_ptr<GraphNode> make(
  const Graph & graph, const CallbackTable & table, std::uint32_t number,
  const NodeSettings & settings)
{
  switch (graph.nodes[number].kind) {
    case NodeKind::sensor:
      return std::make_unique<Sensor<Msg>>(graph, table, number, settings);
    case NodeKind::transform:
    case NodeKind::intersection:
      return std::make_unique<Transform<Msg>>(graph, table, number, settings);
    case NodeKind::fusion:
      return std::make_unique<Fusion<Msg>>(graph, table, number, settings);
    case NodeKind::cyclic:
      return std::make_unique<Cyclic<Msg>>(graph, table, number, settings);
    case NodeKind::command:
      break;
  }
  return std::make_unique<Command<Msg>>(graph, table, number, settings);
}

}  // namespace

template <typename Msg>
void Command<Msg>::names()
{
  const KpiSources & kpis = this->graph_.kpis;
  const std::uint32_t sink = this->table_.find(kpis.hot_path_sink);
  std::vector<std::uint32_t> roots;
  for (const std::string & root : kpis.hot_path_roots) {
    roots.push_back(this->table_.find(root));
    roots_.push_back(name_at(root));
  }
  if (sink != kNone) {
    for (const std::uint32_t callback :
         callbacks_between(this->graph_, this->table_, roots, sink)) {
      const std::string name = name_at(this->table_.callbacks()[callback].id);
      if (std::find(hot_.begin(), hot_.end(), name) == hot_.end()) {
        hot_.push_back(name);
      }
    }
  }
  sink_ = name_at(kpis.hot_path_sink);
  planner_ = name_at(kpis.planner);
}

GraphNode::GraphNode(const Graph &, const Node & spec, const NodeSettings & settings)
{
  const std::size_t slash = spec.name.rfind('/');
  node_ = std::make_unique<takt_rcl::Node>(
    spec.name.substr(slash + 1), slash == 0 ? "/" : spec.name.substr(0, slash),
    options_for(settings));
}

std::unique_ptr<GraphNode> make_node(
  const Graph & graph, const CallbackTable & table, std::uint32_t number,
  const NodeSettings & settings)
{
  switch (graph.message) {
    case MessageType::Int32:
      return make<std_msgs::msg::Int32>(graph, table, number, settings);
    case MessageType::Payload:
      return make<takt_msgs::msg::Payload>(graph, table, number, settings);
    case MessageType::Message4kb:
      break;
  }
  return make<takt_msgs::msg::Message4kb>(graph, table, number, settings);
}

}  // namespace takt_workload
