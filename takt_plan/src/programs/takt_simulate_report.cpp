#include "takt_simulate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/printed.hpp"
#include "table.hpp"
#include "takt_rt/readable.hpp"

namespace takt_plan::program
{
namespace
{

using Json = nlohmann::ordered_json;
using takt_rt::human;

std::string human(Ns ns)
{
  return human(takt_rt::Duration(ns));
}

std::string time_or_dash(const Responses & responses, double ns)
{
  return responses.count == 0 ? "-" : human(ns);
}

std::string deadline(Ns ns)
{
  return ns == kUnbounded ? "-" : human(ns);
}

std::string where(const Report & report, const Responses & responses)
{
  if (responses.count == 0) {
    return "-";
  }
  const double seconds = static_cast<double>(responses.worst.release) / 1e9;
  return report.options.runs == 1
           ? fmt::format("{:.6f} s", seconds)
           : fmt::format("seed {}, {:.6f} s", report.options.seed + responses.worst.run, seconds);
}

std::string chains_as_text(const Report & report)
{
  std::vector<Row> rows{
    {"chain", "released", "ended", "mean", "worst", "deadline", "missed", "worst released at"}};
  for (Index i = 0; i < report.result.chains.size(); ++i) {
    const ChainResult & chain = report.result.chains[i];
    const Responses & responses = chain.responses;
    rows.push_back(
      {report.model.model.chains[i].name, fmt::to_string(chain.released),
       fmt::to_string(responses.count), time_or_dash(responses, responses.mean()),
       time_or_dash(responses, static_cast<double>(responses.worst.time())),
       deadline(report.model.model.chains[i].deadline), fmt::to_string(responses.missed),
       where(report, responses)});
  }
  return rows.size() == 1 ? "" : table(rows, Numbers::right) + "\n";
}

std::string callbacks_as_text(const Report & report)
{
  // Most callbacks have no deadline of their own.
  const auto & tasks = report.model.tasks;
  const bool deadlines = std::any_of(
    tasks.begin(), tasks.end(), [](const auto & task) { return task.deadline != kUnbounded; });
  std::vector<Row> rows{{"callback", "runs", "mean", "worst"}};
  if (deadlines) {
    rows.back().insert(rows.back().end(), {"deadline", "missed"});
  }
  rows.back().insert(rows.back().end(), {"overwritten", "skipped"});
  for (Index i = 0; i < report.result.tasks.size(); ++i) {
    const TaskResult & task = report.result.tasks[i];
    const Responses & responses = task.responses;
    const bool timer = report.model.model.tasks[i].timer;
    Row row{
      report.model.model.tasks[i].id, fmt::to_string(responses.count),
      time_or_dash(responses, responses.mean()),
      time_or_dash(responses, static_cast<double>(responses.worst.time()))};
    if (deadlines) {
      row.push_back(deadline(tasks[i].deadline));
      row.push_back(fmt::to_string(responses.missed));
    }
    row.push_back(timer ? "-" : fmt::to_string(task.overwritten));
    row.push_back(timer ? fmt::to_string(task.skipped) : "-");
    rows.push_back(std::move(row));
  }
  return table(rows, Numbers::right);
}

/// A duration within which a chain that is first released at `offset` ends, for --duration: a whole
/// number of seconds, or of milliseconds below one second.
std::string enough_for(Ns offset, Ns period)
{
  constexpr Ns kMs = 1'000'000;
  const Ns unit = offset < 1000 * kMs ? kMs : 1000 * kMs;
  return detail::printed(add(add(offset, period), unit - 1) / unit * unit);
}

/// A line for each chain whose first release is after the end of the runs.
std::string not_started_as_text(const Report & report)
{
  std::string text;
  const Model & model = report.model.model;
  for (Index i = 0; i < report.result.chains.size(); ++i) {
    const Task & root = model.tasks[model.chains[i].path.front()];
    const Ns offset = root.release ? root.release->offset.value_or(0) : 0;
    if (
      report.options.phases != Phases::fixed || report.result.chains[i].released > 0 ||
      offset < report.options.duration) {
      continue;
    }
    text += fmt::format(
      "chain {} did not start within {}: {} has an offset of {}; --duration {} shows it\n",
      model.chains[i].name, human(report.options.duration), root.id, detail::printed(offset),
      enough_for(offset, root.release->period));
  }
  return text.empty() ? text : text + "\n";
}

/// A line for each group with logical execution time whose runs were late.
std::string late_runs_as_text(const Report & report)
{
  std::string text;
  for (Index i = 0; i < report.result.tasks.size(); ++i) {
    if (const auto late = report.result.tasks[i].late_runs; late > 0) {
      const Model & model = report.model.model;
      const bool dropped =
        model.groups[model.tasks[i].group].logical_time == takt_core::LateOutputs::drop;
      text += fmt::format(
        "\n{} ended {} run{} after the end of the period (let): {}\n", model.tasks[i].id, late,
        late == 1 ? "" : "s",
        dropped ? "their messages are dropped" : "their messages go out at the end of the run");
    }
  }
  return text;
}

double share(const Report & report, Index core)
{
  return report.result.simulated == 0 ? 0
                                      : static_cast<double>(report.result.busy[core]) /
                                          static_cast<double>(report.result.simulated);
}

Json as_json(const Response & response, const Report & report)
{
  return {
    {"run", response.run},
    {"seed", report.options.seed + response.run},
    {"release_ns", response.release},
    {"end_ns", response.end},
    {"response_ns", response.time()}};
}

Json as_json(const Responses & responses, Ns deadline, const Report & report)
{
  Json json;
  json["ended"] = responses.count;
  json["mean_ns"] = responses.count == 0 ? Json() : Json(responses.mean());
  json["worst_ns"] = responses.count == 0 ? Json() : Json(responses.worst.time());
  json["deadline_ns"] = deadline == kUnbounded ? Json() : Json(deadline);
  json["missed"] = responses.missed;
  json["worst"] = responses.count == 0 ? Json() : as_json(responses.worst, report);
  return json;
}

}  // namespace

std::string_view to_string(Phases phases)
{
  return phases == Phases::fixed ? "fixed" : phases == Phases::random ? "random" : "adversarial";
}

std::string_view to_string(Execution execution)
{
  switch (execution) {
    case Execution::worst:
      return "worst";
    case Execution::best:
      return "best";
    case Execution::uniform:
      return "uniform";
    case Execution::histogram:
      break;
  }
  return "histogram";
}

std::string as_text(const Report & report)
{
  const SimulationOptions & options = report.options;
  std::string text = fmt::format(
    "{} under {}: {} run{} of {}, phases {}, execution times {}, seed {}\n\n", report.system,
    report.schedule, options.runs, options.runs == 1 ? "" : "s", human(options.duration),
    to_string(options.phases), to_string(options.execution), options.seed);
  text += chains_as_text(report) + not_started_as_text(report) + callbacks_as_text(report) +
          late_runs_as_text(report) + "\nbusy:";
  Index idle = 0;
  const char * between = "";
  for (Index core = 0; core < report.result.busy.size(); ++core) {
    if (report.result.busy[core] == 0) {
      ++idle;
      continue;
    }
    text += fmt::format(
      "{} {} {:.1f} %", between, report.model.model.core_name(core), 100 * share(report, core));
    between = ",";
  }
  return text + (idle == 0 ? "\n" : fmt::format("{} idle: {}\n", between, idle));
}

std::string as_json(const Report & report)
{
  const Model & model = report.model.model;
  const SimulationOptions & options = report.options;
  Json json;
  json["schema"] = 1;
  json["system"] = report.system;
  json["schedule"] = report.schedule;
  json["options"] = {
    {"duration_ns", options.duration},
    {"runs", options.runs},
    {"seed", options.seed},
    {"phases", to_string(options.phases)},
    {"execution", to_string(options.execution)}};
  json["jobs"] = report.result.jobs;
  json["simulated_ns"] = report.result.simulated;
  json["warnings"] = report.warnings;
  json["chains"] = Json::array();
  for (Index i = 0; i < model.chains.size(); ++i) {
    const ChainResult & chain = report.result.chains[i];
    Json entry{{"name", model.chains[i].name}, {"released", chain.released}};
    entry.update(as_json(chain.responses, model.chains[i].deadline, report));
    json["chains"].push_back(std::move(entry));
  }
  json["callbacks"] = Json::array();
  for (Index i = 0; i < model.tasks.size(); ++i) {
    const TaskResult & task = report.result.tasks[i];
    Json entry{{"id", model.tasks[i].id}, {"executor", model.executors[model.tasks[i].executor]}};
    entry.update(as_json(task.responses, report.model.tasks[i].deadline, report));
    entry["worst_from_source_ns"] = task.from_source < 0 ? Json() : Json(task.from_source);
    entry["skipped"] = task.skipped;
    entry["late_runs"] = task.late_runs;
    entry["messages"] = {
      {"received", task.received},
      {"taken", task.taken},
      {"overwritten", task.overwritten},
      {"left_out", task.left_out},
      {"waiting", task.waiting}};
    json["callbacks"].push_back(std::move(entry));
  }
  json["cores"] = Json::array();
  for (Index core = 0; core < model.cores.size(); ++core) {
    json["cores"].push_back(
      {{"host", model.hosts[model.cores[core].host]},
       {"core", model.cores[core].number},
       {"busy", share(report, core)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace takt_plan::program
