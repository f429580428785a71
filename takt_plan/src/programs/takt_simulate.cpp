// takt_simulate: runs a system under a schedule in virtual time.
//
// Exit codes: 0 the simulation ran, 1 the output could not be written, 2 a file or the command line
// is faulty.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "long_run.hpp"
#include "model/printed.hpp"
#include "simulation/timeline.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/output_file.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/reader/text.hpp"
#include "takt_simulate_report.hpp"

namespace
{

using takt_plan::Execution;
using takt_plan::Index;
using takt_plan::Ns;
using takt_plan::Phases;
using takt_plan::SimulationModel;
using takt_plan::SimulationOptions;
using takt_plan::SimulationResult;
using takt_rt::Faults;
using takt_schedule::kUnwritten;
using takt_schedule::refuse;

constexpr Ns kShown = 1'000'000;  // progress tells virtual time in whole milliseconds

struct Arguments
{
  std::string system;
  std::string schedule;
  std::string trace;
  std::string of;
  bool json = false;
  bool runs_given = false;
  SimulationOptions options;
};

struct Subject
{
  std::string name;
  takt_plan::Response response;
};

/// Chooses the chain or callback of the trace: the one that `--of` names, else the chain that came
/// closest to its deadline, else the chain with the longest response, else the callback with the
/// longest response.
takt_rt::Result<Subject> subject(
  const Arguments & arguments, const SimulationModel & model, const SimulationResult & result)
{
  Subject best;
  double most = -1;
  const auto consider = [&](const std::string & name, const auto & responses, Ns deadline) {
    const bool wanted = arguments.of.empty() ? responses.count > 0 : name == arguments.of;
    const auto time = static_cast<double>(responses.worst.time());
    // Chains with a deadline come before all others.
    const double weight =
      deadline == takt_plan::kUnbounded ? time / 1e30 : 1 + time / static_cast<double>(deadline);
    if (wanted && weight > most) {
      most = weight;
      best = {name, responses.worst};
    }
  };
  for (Index i = 0; i < result.chains.size(); ++i) {
    consider(
      model.model.chains[i].name, result.chains[i].responses, model.model.chains[i].deadline);
  }
  if (best.name.empty()) {
    for (Index i = 0; i < result.tasks.size(); ++i) {
      consider(model.model.tasks[i].id, result.tasks[i].responses, model.tasks[i].deadline);
    }
  }
  if (best.name.empty() || best.response.end < best.response.release) {
    std::vector<std::string> names;
    for (const auto & chain : model.model.chains) {
      names.push_back(chain.name);
    }
    for (const auto & task : model.model.tasks) {
      names.push_back(task.id);
    }
    const bool known = std::find(names.begin(), names.end(), arguments.of) != names.end();
    const std::string close = takt_schedule::closest(arguments.of, names);
    return Faults{
      arguments.of.empty() ? "--trace: nothing ran"
      : known              ? fmt::format("--of: '{}' never ended", arguments.of)
                           : fmt::format(
                               "--of: there is no chain and no callback '{}'{}", arguments.of,
                  close.empty() ? "" : "; did you mean " + takt_schedule::quoted(close) + "?")};
  }
  return best;
}

// The fault of the path of the timeline's file; the program never overwrites its input.
std::string trace_fault(const Arguments & arguments)
{
  if (arguments.trace.empty()) {
    return {};
  }
  for (const std::string & read : {arguments.system, arguments.schedule}) {
    if (takt_schedule::same_file(arguments.trace, read)) {
      return "--trace names the input file; name another file";
    }
  }
  const auto status = takt_schedule::check_output(arguments.trace);
  return status.ok() ? std::string() : "--trace: " + to_string(status.faults().front());
}

int run(Arguments & arguments)
{
  takt_plan::program::end_when_interrupted("takt_simulate");
  if (const std::string fault = trace_fault(arguments); !fault.empty()) {
    return refuse({fault});
  }
  const auto plan = takt_plan::load_plan(arguments.system, arguments.schedule);
  if (!plan) {
    return refuse(plan.faults());
  }
  takt_schedule::warn(plan->warnings);
  const SimulationModel model = takt_plan::simulation_model(*plan);
  if (!arguments.runs_given && arguments.options.phases == Phases::adversarial) {
    arguments.options.runs = takt_plan::adversarial_runs(model);
  }
  std::optional<takt_plan::program::Progress> progress(
    std::in_place, "takt_simulate", "simulating");
  SimulationOptions options = arguments.options;
  options.progress = [&](std::uint64_t runs, Ns now) {
    const Ns duration = options.duration;
    progress->now(fmt::format(
      "simulating: {} of {}{}",
      takt_plan::detail::printed(std::min(now, duration) / kShown * kShown),
      takt_plan::detail::printed(duration),
      options.runs == 1 ? "" : fmt::format(", run {} of {}", runs + 1, options.runs)));
  };
  const auto result = takt_plan::simulate(model, options);
  if (!result) {
    progress.reset();
    return refuse(result.faults());
  }
  std::string traced;
  if (!arguments.trace.empty()) {
    const auto about = subject(arguments, model, *result);
    if (!about) {
      progress.reset();
      return refuse(about.faults());
    }
    progress->now("simulating the worst activation again");
    auto timeline = takt_plan::Timeline::around(model, about->response);
    const auto watched = takt_plan::watch(model, arguments.options, about->response.run, timeline);
    progress.reset();
    if (!watched.ok()) {
      return refuse(watched.faults());
    }
    takt_plan::program::writing_now();
    const auto written =
      takt_schedule::write_output(arguments.trace, timeline.to_json(about->name, about->response));
    if (!written.ok()) {
      fmt::print(stderr, "takt_simulate: {}\n", to_string(written.faults().front()));
      return kUnwritten;
    }
    traced = fmt::format(
      "\ntimeline of the worst activation of {}: {}, for https://ui.perfetto.dev\n", about->name,
      arguments.trace);
  }
  progress.reset();
  takt_plan::program::writing_now();
  const takt_plan::program::Report report{model,   plan->warnings,   arguments.options,
                                          *result, arguments.system, arguments.schedule};
  fmt::print("{}", arguments.json ? as_json(report) : as_text(report) + traced);
  return 0;
}

template <typename Enum>
void add_choice(
  CLI::App & app, const std::string & name, Enum & value, std::initializer_list<Enum> values,
  const std::string & help)
{
  std::string known;
  for (const Enum each : values) {
    known += (known.empty() ? "" : ", ") + std::string(takt_plan::program::to_string(each));
  }
  const auto read = [&value, values = std::vector<Enum>(values), name,
                     known](const std::string & text) {
    for (const Enum each : values) {
      if (takt_plan::program::to_string(each) == text) {
        value = each;
        return;
      }
    }
    throw CLI::ValidationError(fmt::format("{}: '{}' is none of {}", name, text, known));
  };
  app.add_option_function<std::string>(name, read, help + ": " + known);
}

void add_number(
  CLI::App & app, const std::string & name, std::uint64_t & value, std::uint64_t least,
  const std::string & help)
{
  const auto read = [&value, least, name](const std::string & text) {
    value = takt_schedule::number_option<std::uint64_t>(name, text, least, UINT64_MAX);
  };
  app.add_option_function<std::string>(name, read, help);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Runs a system under a schedule in virtual time and says what responses it saw.",
    "takt_simulate"};
  Arguments arguments;
  SimulationOptions & options = arguments.options;
  app.add_option("system", arguments.system, "the system model file")->required();
  app.add_option("schedule", arguments.schedule, "the schedule file")->required();
  app.add_option_function<std::string>(
    "--duration",
    [&](const std::string & text) {
      options.duration = takt_schedule::duration_option("--duration", text).count();
      if (options.duration == 0) {
        throw CLI::ValidationError("--duration", "it must be above zero");
      }
    },
    "of each run, in virtual time (10s)");
  add_number(
    app, "--runs", options.runs, 1, "how many (1; under adversarial phases all that there are)");
  add_number(app, "--seed", options.seed, 0, "of the first run (1); each further one has the next");
  add_choice(
    app, "--phases", options.phases, {Phases::fixed, Phases::random, Phases::adversarial},
    "first releases (fixed)");
  add_choice(
    app, "--execution", options.execution,
    {Execution::worst, Execution::best, Execution::uniform, Execution::histogram},
    "execution times (worst)");
  app.add_option(
    "--trace", arguments.trace, "write a timeline of the worst activation, for Perfetto");
  app.add_option("--of", arguments.of, "the chain or callback whose worst activation that is")
    ->needs("--trace");
  app.add_flag("--json", arguments.json, "print everything as JSON");
  return takt_schedule::run_program(app, argc, argv, [&] {
    arguments.runs_given = app.count("--runs") > 0;
    return run(arguments);
  });
}
