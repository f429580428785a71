// The callbacks of a graph on the ways from some callbacks to another one. Set-up only.
#ifndef TAKT_WORKLOAD__SRC__GRAPH__CALLBACKS_BETWEEN_HPP_
#define TAKT_WORKLOAD__SRC__GRAPH__CALLBACKS_BETWEEN_HPP_

#include <cstdint>
#include <vector>

#include "graph/callback_table.hpp"
#include "graph/graph.hpp"

namespace takt_workload
{

/// Callbacks on any path from `roots` to `sink`, roots and sink included, in graph order.
std::vector<std::uint32_t> callbacks_between(
  const Graph & graph, const CallbackTable & table, const std::vector<std::uint32_t> & roots,
  std::uint32_t sink);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__CALLBACKS_BETWEEN_HPP_
