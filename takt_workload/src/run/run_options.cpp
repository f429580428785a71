#include "run/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "graph/graph_reader.hpp"

namespace takt_workload
{

Graph prepared(const Graph & graph, const RunOptions & options)
{
  Graph result = with_work_scaled(graph, options.work_scale);
  return options.random_phases ? with_random_phases(std::move(result), *options.random_phases)
                               : result;
}

std::vector<int> parts_of(const Graph & graph, const RunOptions & options)
{
  const std::size_t count = graph.nodes.size();
  const auto split = static_cast<std::size_t>(options.split);
  if (split > count) {
    throw std::invalid_argument(fmt::format(
      "--split {}: the graph has {} node{}, and each process needs one", split, count,
      count == 1 ? "" : "s"));
  }
  std::vector<int> parts(count, options.split - 1);
  if (options.split_map.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      parts[i] = static_cast<int>(i * split / count);
    }
    return parts;
  }
  std::vector<bool> named(count, false);
  std::istringstream processes(options.split_map);
  std::string process;
  for (int part = 0; std::getline(processes, process, ';'); ++part) {
    if (part >= options.split) {
      throw std::invalid_argument(
        fmt::format("--split-map names more processes than the {} of --split", options.split));
    }
    std::istringstream names(process);
    std::string name;
    while (std::getline(names, name, ',')) {
      const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node & one) {
        return one.name == qualified(name);
      });
      const auto index = static_cast<std::size_t>(node - graph.nodes.begin());
      if (node == graph.nodes.end() || named[index]) {
        throw std::invalid_argument(fmt::format(
          "--split-map: {} '{}'", node == graph.nodes.end() ? "there is no node" : "twice:", name));
      }
      named[index] = true;
      parts[index] = part;
    }
  }
  for (int part = 0; part < options.split; ++part) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
      throw std::invalid_argument(
        fmt::format("--split-map gives process {} of {} no node", part + 1, options.split));
    }
  }
  return parts;
}

}  // namespace takt_workload
