// Prints the content of a graph file: ids for schedules, rates and loads for planners. `takt_graph
// --help`.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "graph/callback_table.hpp"
#include "graph/graph_parse.hpp"
#include "graph/system_of_graph.hpp"
#include "programs/command_line.hpp"
#include "run/run_options.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/to_yaml.hpp"

namespace takt_workload
{

namespace
{

using nlohmann::json;

constexpr std::size_t kMostBytes = 64U << 20U;
constexpr std::uint64_t kMostTime = 86'400'000'000'000;

json ids(const Graph & graph)
{
  const CallbackTable table(graph);
  json list = json::array();
  for (const CallbackEntry & callback : table.callbacks()) {
    list.push_back(
      {{"id", callback.id},
       {"kind", callback.timer ? "timer" : "subscription"},
       {"group", callback.group},
       {"reentrant", graph.nodes[callback.node].grouping == Grouping::reentrant},
       {"node", graph.nodes[callback.node].name}});
  }
  return {{"callbacks", list}};
}

json info(const Graph & graph)
{
  const CallbackTable table(graph);
  const auto loads = table.loads(graph);
  json result = ids(graph);
  result["schema"] = 1;
  std::map<std::string, double> groups;
  double total = 0.0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const CallbackEntry & callback = table.callbacks()[i];
    const Node & node = graph.nodes[callback.node];
    json & one = result["callbacks"][i];
    one["node_kind"] = to_string(node.kind);
    one["rate_hz"] = loads[i].rate;
    one["work_rate_hz"] = loads[i].work_rate;
    one["work_ns"] = callback.work.mean.count();
    one["longest_work_ns"] = callback.work.longest.count();
    one["longest_sleep_ns"] = callback.sleep.longest.count();
    one["utilisation"] = loads[i].utilisation;
    one["host"] = node.host;
    if (callback.timer) {
      one["period_ns"] = callback.period.count();
      one["offset_ns"] = node.offset.value_or(node.period).count();
    } else {
      one["topic"] = table.topics()[callback.input_topic].name;
      one["depth"] = node.inputs[callback.input].depth;
    }
    if (callback.output_topic != kNone) {
      one["publishes"] = table.topics()[callback.output_topic].name;
    }
    groups[callback.group] += loads[i].utilisation;
    total += loads[i].utilisation;
  }
  result["graph"] = graph.name;
  result["message"] = to_string(graph.message);
  result["groups"] = groups;
  result["total_utilisation"] = total;
  result["nodes"] = graph.nodes.size();
  result["topics"] = table.topics().size();
  result["chains"] = json::array();
  for (const Chain & chain : graph.chains) {
    const bool bounded = chain.deadline != takt_rt::kForever;
    result["chains"].push_back(
      {{"name", chain.name},
       {"path", chain.path},
       {"priority", chain.priority},
       {"deadline_ns", bounded ? json(chain.deadline.count()) : json()},
       {"hot_path", chain.hot_path}});
  }
  return result;
}

std::string info_table(const json & all)
{
  std::string text = fmt::format(
    "{}: {} nodes, {} callbacks, {} topics, {} chains, {:.2f} cores\n\n{:<72} {:>8} {:>9} {:>6}\n",
    all["graph"].get<std::string>(), all["nodes"].get<int>(), all["callbacks"].size(),
    all["topics"].get<int>(), all["chains"].size(), all["total_utilisation"].get<double>(),
    "callback", "rate/s", "work ms", "cores");
  for (const json & one : all["callbacks"]) {
    text += fmt::format(
      "{:<72} {:>8.2f} {:>9.3f} {:>6.3f}\n", one["id"].get<std::string>(),
      one["rate_hz"].get<double>(), one["work_ns"].get<double>() * 1e-6,
      one["utilisation"].get<double>());
  }
  if (!all["chains"].empty()) {
    text +=
      fmt::format("\n{:<40} {:>9} {:>9} {:>12}\n", "chain", "callbacks", "priority", "deadline ms");
  }
  for (const json & chain : all["chains"]) {
    const json & deadline = chain["deadline_ns"];
    text += fmt::format(
      "{:<40} {:>9} {:>9} {:>12}\n", chain["name"].get<std::string>(), chain["path"].size(),
      chain["priority"].get<int>(),
      deadline.is_null() ? "none" : fmt::format("{:.3f}", deadline.get<double>() * 1e-6));
  }
  return text;
}

/// False if there were faults; it has printed them.
bool read_times(const std::string & file, const Graph & graph, SystemOptions & options)
{
  const auto refuse = [&](const std::string & what) {
    fmt::print(stderr, "{}: {}\n", file, what);
    return false;
  };
  const auto text = takt_schedule::file_text(file, "a JSON file", kMostBytes);
  if (!text) {
    takt_schedule::tell(text.faults());
    return false;
  }
  const json given = json::parse(*text, nullptr, false);
  if (!given.is_object()) {
    return refuse("must be a JSON object of callback ids and execution times in ns");
  }
  const CallbackTable table(graph);
  for (const auto & [id, time] : given.items()) {
    if (table.find(id) == kNone) {
      return refuse(fmt::format("the graph has no callback '{}'", id));
    }
    if (!time.is_number_unsigned() || time.get<std::uint64_t>() > kMostTime) {
      return refuse(fmt::format("the time of '{}' is not a whole number of ns up to a day", id));
    }
    options.times[id] = takt_rt::Duration(time.get<std::int64_t>());
  }
  return true;
}

int run(int argc, char ** argv)
{
  CLI::App app("Says what is in a graph file.", "takt_graph");
  app.require_subcommand(1);
  std::string file;
  bool as_json = false;
  const auto add = [&](const std::string & name, const std::string & help) {
    CLI::App * const command = app.add_subcommand(name, help);
    command->add_option("GRAPH", file, "graph file, or the name of a shipped one")->required();
    return command;
  };
  CLI::App * const ids_command = add("ids", "ids of all callbacks, as JSON");
  CLI::App * const info_command = add("info", "rates, work and chains");
  info_command->add_flag("--json", as_json, "as JSON");
  CLI::App * const system_command = add("system", "a system model of it, for planning");
  SystemOptions options;
  double scale = 1.0;
  std::string times;
  constexpr int kMostCores = 4096;
  constexpr double kMostScale = 1000.0;
  add_whole(
    *system_command, "--cores", [&](int count) { options.cores = count; }, 1, kMostCores,
    "cores of the machine (4)");
  add_factor(*system_command, "--work-scale", scale, kMostScale, "multiplies all work");
  add_duration(*system_command, "--dispatch", options.overheads.dispatch, "overhead of a run");
  add_duration(
    *system_command, "--middleware", options.overheads.middleware,
    "of publishing or taking a message");
  add_duration(
    *system_command, "--context-switch", options.overheads.context_switch,
    "of a preemption or wake-up");
  add_duration(*system_command, "--jitter", options.jitter, "of each timer");
  system_command->add_option(
    "--times", times, "measured execution times: a JSON object of callback ids and ns");
  RunOptions split;
  add_whole(
    *system_command, "--split", [&](int parts) { split.split = parts; }, 1, 64,
    "processes, as takt_run splits the graph (1)");
  system_command->add_option("--split-map", split.split_map, "nodes of each process, \"A,B;C\"")
    ->needs("--split");
  add_duration(
    *system_command, "--communication", options.between_processes,
    "of a message between two processes, in addition")
    ->needs("--split");
  system_command->add_flag(
    "--witness", options.witness, "with the threads by which takt_run watches for stalls");
  add("check", "only says what is wrong with it");
  return takt_schedule::run_program(app, argc, argv, [&]() -> int {
    const auto graph = load_graph(file);
    if (!graph) {
      return takt_schedule::refuse(graph.faults());
    }
    if (*ids_command) {
      std::cout << ids(graph.value()).dump(1) << '\n';
    } else if (*info_command) {
      const json all = info(graph.value());
      std::cout << (as_json ? all.dump(1) + "\n" : info_table(all));
    } else if (*system_command) {
      options.has_overheads = system_command->count("--dispatch") != 0 ||
                              system_command->count("--middleware") != 0 ||
                              system_command->count("--context-switch") != 0;
      if (split.split > 1) {
        try {
          options.parts = parts_of(graph.value(), split);
        } catch (const std::invalid_argument & error) {
          return takt_schedule::refuse({error.what()});
        }
      }
      if (!times.empty() && !read_times(times, graph.value(), options)) {
        return takt_schedule::kBadInput;
      }
      std::cout << takt_schedule::to_yaml(
        system_of(with_work_scaled(graph.value(), scale), options),
        "The system model of the graph " + graph->name +
          "; takt plan FILE makes a schedule for it.");
    }
    return 0;
  });
}

}  // namespace

}  // namespace takt_workload

int main(int argc, char ** argv)
{
  return takt_workload::run(argc, argv);
}
