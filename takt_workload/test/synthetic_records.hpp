// Makes records one by one, as a run would write them, and gives the analysis of them.
#ifndef SYNTHETIC_RECORDS_HPP_
#define SYNTHETIC_RECORDS_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "figures/figures.hpp"
#include "graph/graph_parse.hpp"

namespace takt_workload
{

using std::chrono::milliseconds;
using takt_rt::from_ns;

// Two sensors, a fusion, the sink, and a planner that reads the sink.
constexpr const char * kGraph = R"(
version: 1
name: small
defaults: {work: 2ms}
nodes:
  - {name: Front, kind: sensor, period: 100ms}
  - {name: Rear, kind: sensor, period: 100ms}
  - {name: Fusion, kind: fusion, inputs: [Front, Rear]}
  - {name: Filter, kind: transform, input: Fusion}
  - {name: Sink, kind: transform, input: Filter}
  - {name: Planner, kind: cyclic, period: 100ms, inputs: [Sink]}
  - {name: Wheels, kind: command, input: Planner}
chains:
  - {name: front, path: [Front, Fusion, Filter, Sink, Planner], deadline: 30ms}
  - {name: rear, path: [Rear, Fusion, Filter, Sink, Planner], deadline: 30ms}
kpis:
  hot_path: {roots: [Front, Rear], sink: Sink}
  planner: {node: Planner, obstacle_input: Sink}
)";

class Records : public ::testing::Test
{
protected:
  Records() : graph(*parse_graph(kGraph, "small")), table(graph)
  {
    process.measured_from = at(0);
    process.measured_to = at(1000);
  }

  static takt_rt::Time at(double ms) { return from_ns(static_cast<std::int64_t>(ms * 1e6) + 1000); }

  // Adds a run. `published`: the run gets the topic's next sequence number.
  RunRecord & run(
    const std::string & id, double release, double start, double end, std::uint64_t taken,
    bool publishes)
  {
    RunRecord record;
    record.callback = table.find(id);
    EXPECT_NE(record.callback, kNone) << id;
    record.release = at(release);
    record.start = at(start);
    record.end = at(end);
    record.taken = taken;
    if (publishes) {
      record.published = ++sequences[table.callbacks()[record.callback].output_topic];
      if (!table.callbacks()[record.callback].timer) {
        record.work_asked = record.work_cpu = milliseconds(2);
      }
    }
    process.runs.push_back(record);
    return process.runs.back();
  }

  // Adds the runs after the fusion's end at `t`, without delays.
  void tail(double t, std::uint64_t n)
  {
    run("/Filter:sub(/Fusion)", t, t + 1, t + 4, n, true);
    run("/Sink:sub(/Filter)", t + 4, t + 5, t + 8, n, true);
    run("/Planner:sub(/Sink)", t + 8, t + 9, t + 10, n, false);
  }

  // Adds an undisturbed activation of all callbacks, released at `t`. Each has message `n`.
  void round(double t, std::uint64_t n)
  {
    run("/Front:timer(100ms)", t, t + 1, t + 2, 0, true);
    run("/Rear:timer(100ms)", t, t + 3, t + 4, 0, true);
    run("/Fusion:sub(/Front)", t + 2, t + 4, t + 5, n, false);
    run("/Fusion:sub(/Rear)", t + 4, t + 5, t + 8, n, true);
    tail(t + 8, n);
    run("/Planner:timer(100ms)", t + 50, t + 51, t + 54, 0, true);
    run("/Wheels:sub(/Planner)", t + 54, t + 55, t + 56, n, false);
  }

  Analysis result() { return analyse(graph, {process}); }

  Graph graph;
  CallbackTable table;
  ProcessRecord process;
  std::map<std::uint32_t, std::uint64_t> sequences;
};

}  // namespace takt_workload

#endif  // SYNTHETIC_RECORDS_HPP_
