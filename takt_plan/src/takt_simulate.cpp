// takt_simulate: runs a system under a schedule in virtual time.
//
// Exit codes: 0 it ran, 2 the files or the command line are not good, 1 what was found could not be
// written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "takt_plan/timeline.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_simulate_report.hpp"

namespace
{

using takt_core::Faults;
using takt_plan::Execution;
using takt_plan::Index;
using takt_plan::Ns;
using takt_plan::Phases;
using takt_plan::SimulationModel;
using takt_plan::SimulationOptions;
using takt_plan::SimulationResult;

constexpr int kBad = 2;
constexpr int kUnwritten = 1;

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

void append(Faults & faults, const Faults & more)
{
  faults.insert(faults.end(), more.begin(), more.end());
}

/// The machine the schedule is for: that of the model, with all rights.
takt_schedule::Machine machine_of(const takt_core::Result<takt_schedule::System> & system)
{
  takt_schedule::Machine machine;
  std::set<int> cores;
  if (system) {
    for (const takt_schedule::HostModel & host : system->hosts) {
      cores.insert(host.cores.begin(), host.cores.end());
    }
    machine.cores.emplace(cores.begin(), cores.end());
  } else {  // its faults are enough
    machine.cores.emplace(65536);
    std::iota(machine.cores->begin(), machine.cores->end(), 0);
  }
  machine.realtime = true;
  machine.autogroup = false;
  machine.deadline_share = 0.95;  // Linux's default
  return machine;
}

takt_core::Result<SimulationModel> load(const Arguments & arguments)
{
  const auto system = takt_schedule::load_system(arguments.system);
  const auto schedule = takt_schedule::load_schedule(arguments.schedule, machine_of(system));
  Faults faults = system.faults();
  append(faults, schedule.faults());
  if (!faults.empty()) {
    return faults;
  }
  auto model = takt_plan::simulation_model(*system, *schedule);
  if (model) {
    auto & warnings = model->warnings;
    warnings.insert(warnings.begin(), schedule->warnings.begin(), schedule->warnings.end());
    warnings.insert(warnings.begin(), system->warnings.begin(), system->warnings.end());
  }
  return model;
}

struct Subject
{
  std::string name;
  takt_plan::Response response;
};

/// What the trace is about: what `--of` says, else the chain that came closest to its deadline, else
/// the longest response of a chain, or without chains of a callback.
takt_core::Result<Subject> subject(
  const Arguments & arguments, const SimulationModel & model, const SimulationResult & result)
{
  Subject best;
  double most = -1;
  const auto consider = [&](const std::string & name, const auto & responses, Ns deadline) {
    const bool wanted = arguments.of.empty() ? responses.count > 0 : name == arguments.of;
    const auto time = static_cast<double>(responses.worst.time());
    // Those with a deadline first.
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
    const bool known = std::any_of(
                         model.model.chains.begin(), model.model.chains.end(),
                         [&](const auto & chain) { return chain.name == arguments.of; }) ||
                       std::any_of(
                         model.model.tasks.begin(), model.model.tasks.end(),
                         [&](const auto & task) { return task.id == arguments.of; });
    return Faults{
      arguments.of.empty() ? "--trace: nothing ran"
      : known              ? fmt::format("--of: '{}' never ended", arguments.of)
              : fmt::format("--of: there is no chain and no callback '{}'", arguments.of)};
  }
  return best;
}

/// A whole file or none; what is no file (a device, a pipe) is written through.
bool write_file(const std::string & path, const std::string & text)
{
  std::error_code error;
  const bool through =
    std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  const std::string part = through ? path : path + ".part";
  {
    std::ofstream file(part, std::ios::binary);
    file << text;
    file.flush();
    if (!file) {
      fmt::print(stderr, "takt_simulate: {} cannot be written: {}\n", path, std::strerror(errno));
      return false;
    }
  }
  if (!through) {
    std::filesystem::rename(part, path, error);
    if (error) {
      fmt::print(stderr, "takt_simulate: {} cannot be written: {}\n", path, error.message());
      return false;
    }
  }
  return true;
}

int bad(const Faults & faults)
{
  for (const std::string & fault : faults) {
    fmt::print(stderr, "{}\n", fault);
  }
  return kBad;
}

int run(Arguments & arguments)
{
  const auto model = load(arguments);
  if (!model) {
    return bad(model.faults());
  }
  for (const std::string & warning : model->warnings) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  if (!arguments.runs_given && arguments.options.phases == Phases::adversarial) {
    arguments.options.runs = takt_plan::adversarial_runs(*model);
  }
  const auto result = takt_plan::simulate(*model, arguments.options);
  if (!result) {
    return bad(result.faults());
  }
  std::string traced;
  if (!arguments.trace.empty()) {
    const auto about = subject(arguments, *model, *result);
    if (!about) {
      return bad(about.faults());
    }
    auto timeline = takt_plan::Timeline::around(*model, about->response);
    const auto watched = takt_plan::watch(*model, arguments.options, about->response.run, timeline);
    if (!watched.ok()) {
      return bad(watched.faults());
    }
    if (!write_file(arguments.trace, timeline.to_json(about->name, about->response))) {
      return kUnwritten;
    }
    traced = fmt::format(
      "\ntimeline of the worst activation of {}: {}, for https://ui.perfetto.dev\n", about->name,
      arguments.trace);
  }
  const takt_plan::program::Report report{
    *model, arguments.options, *result, arguments.system, arguments.schedule};
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
    try {
      const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
      value = digits && !text.empty() ? std::stoull(text) : 0;
      if (digits && !text.empty() && value >= least) {
        return;
      }
    } catch (const std::out_of_range &) {
    }
    throw CLI::ValidationError(
      fmt::format("{}: '{}' is no whole number from {} to 2^64 - 1", name, text, least));
  };
  app.add_option_function<std::string>(name, read, help);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{"Runs a system under a schedule in virtual time and says what responses it saw."};
  Arguments arguments;
  SimulationOptions & options = arguments.options;
  app.add_option("system", arguments.system, "the system model file")->required();
  app.add_option("schedule", arguments.schedule, "the schedule file")->required();
  app.add_option_function<std::string>(
    "--duration",
    [&](const std::string & text) {
      const auto duration = takt_schedule::parse_duration(text);
      if (!duration || duration->count() == 0) {
        throw CLI::ValidationError(
          "--duration: " + (duration ? "it must be above zero" : duration.faults().front()));
      }
      options.duration = duration->count();
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
  try {
    app.parse(argc, argv);
    arguments.runs_given = app.count("--runs") > 0;
    const int code = run(arguments);
    // A full disk shows when the buffer is emptied.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      fmt::print(stderr, "takt_simulate: the output cannot be written: {}\n", std::strerror(errno));
      return kUnwritten;
    }
    return code;
  } catch (const CLI::Success & request) {
    return app.exit(request);
  } catch (const CLI::ParseError & error) {
    fmt::print(stderr, "takt_simulate: {}\n", error.what());
    return kBad;
  } catch (const std::exception & error) {
    fmt::print(stderr, "takt_simulate: {}\n", error.what());
    return kBad;
  }
}
