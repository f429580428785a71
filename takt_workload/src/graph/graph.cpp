#include "graph/graph.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace takt_workload
{

namespace
{

constexpr std::array<std::string_view, 6> kKinds = {"sensor", "transform",    "fusion",
                                                    "cyclic", "intersection", "command"};

// Another stream of random numbers than those of work times.
constexpr std::uint64_t kPhaseStream = 1ULL << 40;

}  // namespace

std::string_view to_string(NodeKind kind) noexcept
{
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<NodeKind> node_kind_from_string(std::string_view name) noexcept
{
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == name) {
      return static_cast<NodeKind>(i);
    }
  }
  return std::nullopt;
}

std::string_view to_string(MessageType type) noexcept
{
  constexpr std::array<std::string_view, 3> kNames = {"Message4kb", "Int32", "Payload"};
  return kNames[static_cast<std::size_t>(type)];
}

Graph with_work_scaled(Graph graph, double factor)
{
  for (Node & node : graph.nodes) {
    node.work = node.work.scaled(factor);
    for (Input & input : node.inputs) {
      input.work = input.work.scaled(factor);
    }
  }
  return graph;
}

Graph with_random_phases(Graph graph, std::uint64_t seed)
{
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node & node = graph.nodes[i];
    if (node.has_timer()) {
      const double part = random_unit(seed, kPhaseStream, i);
      node.offset =
        takt_rt::Duration(std::llround(part * static_cast<double>(node.period.count())));
    }
  }
  return graph;
}

}  // namespace takt_workload
