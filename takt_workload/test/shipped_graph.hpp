// Loads a shipped graph for a test, and fails the test if it has faults.
#ifndef SHIPPED_GRAPH_HPP_
#define SHIPPED_GRAPH_HPP_

#include <gtest/gtest.h>

#include <string>

#include "graph/graph_parse.hpp"

namespace takt_workload
{

inline Graph shipped(const std::string & name)
{
  auto graph = load_graph(name);
  for (const std::string & fault : sentences(graph.faults())) {
    ADD_FAILURE() << fault;
  }
  return graph ? *graph : Graph{};
}

}  // namespace takt_workload

#endif  // SHIPPED_GRAPH_HPP_
