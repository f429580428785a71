// A graph of nodes as plain data: the content of a graph file. docs/graphs.md explains each field.
//
// Set-up only.
#ifndef TAKT_WORKLOAD__SRC__GRAPH__GRAPH_HPP_
#define TAKT_WORKLOAD__SRC__GRAPH__GRAPH_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/work_time.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/source.hpp"

namespace takt_workload
{

/// The behaviour of a node, as in the reference system.
enum class NodeKind
{
  sensor,        ///< a timer that publishes
  transform,     ///< each message: work, publish
  fusion,        ///< keeps the newest message of each input; when it has all: works, publishes,
                 ///< drops them
  cyclic,        ///< keeps the newest message of each input; its timer works and publishes those
                 ///< that it has
  intersection,  ///< independent transforms in one node
  command,       ///< takes messages, and computes the figures that the reference system reports
};

std::string_view to_string(NodeKind kind) noexcept;
std::optional<NodeKind> node_kind_from_string(std::string_view name) noexcept;

enum class MessageType
{
  Message4kb,
  Int32,
  Payload
};

std::string_view to_string(MessageType type) noexcept;

/// The callback groups of a node's callbacks.
enum class Grouping
{
  node,       ///< all in the node's default group, which is mutually exclusive
  callback,   ///< each in a mutually exclusive group of its own
  reentrant,  ///< all in one reentrant group
};

struct Input
{
  std::string topic;        ///< fully qualified
  std::uint32_t depth = 1;  ///< KEEP_LAST history
  std::string output;       ///< transform and intersection only
  WorkTime work;            ///< transform and intersection only
  WorkTime sleep;           ///< transform and intersection only: after the work, before the
                            ///< publication
  takt_schedule::Source source;
};

struct Node
{
  std::string name;  ///< fully qualified
  NodeKind kind = NodeKind::transform;
  takt_rt::Duration period{};               ///< sensor and cyclic
  std::optional<takt_rt::Duration> offset;  ///< of the timer; absent: one period, as in rclcpp
  std::vector<Input> inputs;                ///< in creation order
  std::string output;                       ///< sensor, fusion and cyclic only
  WorkTime work;                            ///< sensor, fusion and cyclic only
  WorkTime sleep;                           ///< sensor, fusion and cyclic only: after the work,
                                            ///< before the publication
  std::uint32_t publisher_depth = 1;
  Grouping grouping = Grouping::node;
  std::string host;  ///< the host that the graph names for it; empty: any host
  takt_schedule::Source source;

  bool has_timer() const noexcept { return kind == NodeKind::sensor || kind == NodeKind::cyclic; }
  bool joins() const noexcept { return kind == NodeKind::fusion || kind == NodeKind::cyclic; }
};

struct Chain
{
  std::string name;
  std::vector<std::string> path;  ///< callback ids
  int priority = 0;
  takt_rt::Duration deadline = takt_rt::kForever;
  bool hot_path = false;
  takt_schedule::Source source;
};

/// The callbacks from which the reference system's figures are computed. Empty names: this figure
/// is not wanted.
struct KpiSources
{
  std::vector<std::string> hot_path_roots;  ///< callback ids of timers
  std::string hot_path_sink;                ///< callback id
  std::string planner;                      ///< callback id of a cyclic node's timer
  std::string obstacle_input;               ///< callback id of one of that node's subscriptions
};

struct Graph
{
  std::string file;
  std::string name;
  MessageType message = MessageType::Message4kb;
  std::size_t payload_bytes = 0;  ///< Payload only
  std::vector<Node> nodes;        ///< in creation order
  std::vector<Chain> chains;
  KpiSources kpis;
};

/// The same graph with all work times multiplied by `factor`. Sleeps keep their times.
Graph with_work_scaled(Graph graph, double factor);

/// `--phases random:SEED`: gives each timer an offset from 0 to its period. The seed determines the
/// offsets.
Graph with_random_phases(Graph graph, std::uint64_t seed);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__GRAPH_HPP_
