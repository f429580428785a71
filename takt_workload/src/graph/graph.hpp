// A graph of nodes as plain data: what a graph file says. docs/graphs.md explains every field.
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

/// What a node does with what it gets. The semantics are those of the reference system.
enum class NodeKind
{
  sensor,        ///< a timer that publishes
  transform,     ///< each message: work, publish
  fusion,        ///< keeps the newest of each input; when all are there: work, publish, forget
  cyclic,        ///< keeps the newest of each input; a timer works and publishes what is there
  intersection,  ///< independent transforms in one node
  command,       ///< takes messages and computes what the reference system reports from them
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

/// How a node's callbacks are put into callback groups.
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
  WorkTime sleep;           ///< likewise: after the work and before the publication
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
  WorkTime sleep;                           ///< likewise: after the work, before the publication
  std::uint32_t publisher_depth = 1;
  Grouping grouping = Grouping::node;
  std::string host;  ///< where it is meant to run; empty: anywhere
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

/// What the reference system's figures are computed from. Empty names: not asked for.
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

/// The same graph with all work times `factor` as long. Sleeps are no work and stay.
Graph with_work_scaled(Graph graph, double factor);

/// `--phases random:SEED`: every timer gets an offset between 0 and its period, by the seed.
Graph with_random_phases(Graph graph, std::uint64_t seed);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__GRAPH_HPP_
