// takt_check: checks a schedule file without running callbacks.
//
// Exit codes: 0 the schedule is good, 2 the schedule or the command line is faulty, 1 the findings
// could not be written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "system/publishing_warnings.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/names.hpp"
#include "takt_schedule/check.hpp"
#include "takt_schedule/listed_callbacks.hpp"
#include "takt_schedule/named_system.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/reader/file_text.hpp"
#include "takt_schedule/wait_warnings.hpp"
#include "threads/thread_names.hpp"

namespace
{

using takt_rt::Faults;
using takt_schedule::CheckReport;
using takt_schedule::ListedCallback;
using takt_schedule::Schedule;

struct Arguments
{
  std::string schedule;
  std::string ids;
  std::string system;
  std::vector<std::string> models;
  std::string executor;
  std::optional<int> cores;
  bool json = false;
};

std::optional<takt_core::Kind> kind_from(const std::string & word)
{
  using takt_core::Kind;
  return word == "sub" ? Kind::subscription : takt_core::from_string<Kind>(word);
}

/// {"callbacks": [{"id": "...", "kind": "timer", "group": "..."}, ...]}; optional per callback:
/// "reentrant" and "executor".
std::vector<ListedCallback> read_ids(const std::string & path, Faults & faults)
{
  std::vector<ListedCallback> result;
  constexpr std::size_t kMostBytes = 64U << 20U;
  const takt_rt::Result<std::string> given =
    path == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                : takt_schedule::file_text(path, "a JSON file of callbacks", kMostBytes);
  if (!given) {
    faults = given.faults();
    return result;
  }
  const auto json = nlohmann::json::parse(*given, nullptr, false);
  const auto list = json.is_object() ? json.find("callbacks") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array()) {
    faults.push_back(
      path + R"(: must be JSON of the form {"callbacks": [{"id": ..., "kind": ...}]})");
    return result;
  }
  const auto text = [](const nlohmann::json & object, const char * key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  for (std::size_t i = 0; i < list->size(); ++i) {
    const nlohmann::json & item = (*list)[i];
    for (const char * key : {"id", "kind", "group", "executor", "reentrant"}) {
      const bool truth = key == std::string_view("reentrant");
      const auto found = item.is_object() ? item.find(key) : item.end();
      if (found != item.end() && (truth ? !found->is_boolean() : !found->is_string())) {
        faults.push_back(fmt::format(
          "{}: callbacks[{}]: \"{}\" must be {}, not {}", path, i, key,
          truth ? "true or false" : "a text",
          found->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
      }
    }
    ListedCallback callback;
    callback.id = takt_core::adapter::normal_id(text(item, "id"));
    callback.group = text(item, "group");
    callback.executor = text(item, "executor");
    const auto reentrant = item.is_object() ? item.find("reentrant") : item.end();
    callback.reentrant =
      reentrant != item.end() && reentrant->is_boolean() && reentrant->get<bool>();
    const auto kind = kind_from(text(item, "kind"));
    if (callback.id.empty() || !kind) {
      faults.push_back(fmt::format(
        "{}: callbacks[{}] needs an \"id\" and a \"kind\" of timer, subscription, service, client "
        "or waitable",
        path, i));
      continue;
    }
    callback.kind = *kind;
    result.push_back(std::move(callback));
  }
  return result;
}

nlohmann::json summary(const Schedule & schedule)
{
  auto executors = nlohmann::json::array();
  for (const auto & executor : schedule.executors) {
    executors.push_back(
      {{"name", executor.name},
       {"order", to_string(executor.order)},
       {"epoch", to_string(executor.epoch.from)},
       {"threads", takt_schedule::ThreadNames(executor).names()},
       {"default", executor.default_threads},
       {"rules", executor.callbacks.size()}});
  }
  auto chains = nlohmann::json::array();
  for (const auto & chain : schedule.chains) {
    chains.push_back({{"name", chain.options.name}, {"callbacks", chain.options.path.size()}});
  }
  return {{"executors", executors}, {"chains", chains}};
}

int print_json(const Schedule * schedule, const CheckReport & report)
{
  nlohmann::json json = schedule == nullptr ? nlohmann::json::object() : summary(*schedule);
  json["ok"] = report.faults.empty();
  json["faults"] = sentences(report.faults);
  json["warnings"] = sentences(report.warnings);
  json["defaulted_callbacks"] = report.defaulted_callbacks;
  json["placements"] = nlohmann::json::array();
  for (const auto & callback : report.callbacks) {
    json["placements"].push_back(
      {{"id", callback.id},
       {"executor", callback.executor},
       {"threads", callback.threads},
       {"line", callback.line}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return report.faults.empty() ? 0 : takt_schedule::kBadInput;
}

std::string counted(std::size_t n, std::string_view word)
{
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// Prints the callbacks without a rule. In a schedule without rules this is intended, so it prints
// only their number.
void print_defaulted(const Schedule & schedule, const std::vector<std::string> & ids)
{
  constexpr std::size_t kMost = 20;
  const bool rules = std::any_of(
    schedule.executors.begin(), schedule.executors.end(),
    [](const auto & executor) { return !executor.callbacks.empty(); });
  const std::size_t shown = rules ? std::min(ids.size(), kMost) : 0;
  fmt::print(
    "{} on the default threads{}\n", counted(ids.size(), "callback"), shown > 0 ? ":" : "");
  for (std::size_t i = 0; i < shown; ++i) {
    fmt::print("  {}\n", ids[i]);
  }
  if (rules && ids.size() > shown) {
    fmt::print("  and {} more; --json lists them all\n", ids.size() - shown);
  }
}

/// Puts one sentence in place of all findings about callbacks that the system lacks.
void sum_up_unmatched(CheckReport & report, const takt_rt::Fault & other_system)
{
  const auto unmatched = [](const takt_rt::Fault & fault) {
    return fault.kind == takt_rt::FaultKind::unmatched;
  };
  const bool faulty = std::erase_if(report.faults, unmatched) > 0;
  std::erase_if(report.warnings, unmatched);
  Faults & place = faulty ? report.faults : report.warnings;
  place.insert(place.begin(), other_system);
}

int print_text(const Arguments & arguments, const Schedule * schedule, const CheckReport & report)
{
  takt_schedule::warn(report.warnings);
  takt_schedule::tell(report.faults);
  if (!report.faults.empty() || schedule == nullptr) {
    fmt::print(stderr, "{}\n", counted(report.faults.size(), "fault"));
    return takt_schedule::kBadInput;
  }
  fmt::print("{}: good\n", arguments.schedule);
  for (const auto & executor : schedule->executors) {
    const takt_schedule::ThreadNames names(executor);
    fmt::print(
      "executor {}: order {}, epoch {}, {} ({}), {}, default {}\n", executor.name,
      to_string(executor.order), to_string(executor.epoch.from),
      counted(names.names().size(), "thread"), fmt::join(names.names(), " "),
      counted(executor.callbacks.size(), "rule"), fmt::join(executor.default_threads, " "));
  }
  for (const auto & chain : schedule->chains) {
    fmt::print(
      "chain {}: {}, priority {}\n", chain.options.name,
      counted(chain.options.path.size(), "callback"), chain.options.priority);
  }
  if (!arguments.system.empty()) {
    fmt::print("checked against the system model {}\n", arguments.system);
  }
  if (!arguments.ids.empty() || !arguments.system.empty()) {
    print_defaulted(*schedule, report.defaulted_callbacks);
  }
  return 0;
}

void append(Faults & to, const Faults & from)
{
  to.insert(to.end(), from.begin(), from.end());
}

/// The inputs against which the schedule is checked.
struct Against
{
  std::vector<ListedCallback> callbacks;
  std::optional<takt_schedule::System> model;
  Faults faults;
};

/// Takes the model that the schedule names, if the command line names no callbacks. Returns a
/// warning if that model is not there: a schedule may run where its model is not.
Faults use_named_system(Arguments & arguments, const Schedule & schedule)
{
  if (!arguments.ids.empty() || !arguments.system.empty() || schedule.system.empty()) {
    return {};
  }
  auto named = takt_schedule::named_system(arguments.schedule, arguments.models);
  if (named) {
    arguments.system = *named;
    return {};
  }
  Faults warnings = named.faults();
  for (takt_rt::Fault & warning : warnings) {
    warning.text += "; until then the callbacks of the schedule are not checked";
  }
  return warnings;
}

Against read_against(const Arguments & arguments)
{
  Against against;
  if (!arguments.ids.empty()) {
    against.callbacks = read_ids(arguments.ids, against.faults);
  }
  if (!arguments.system.empty()) {
    auto system = takt_schedule::load_system(arguments.system);
    append(against.faults, system.faults());
    if (system) {
      against.callbacks = takt_schedule::listed_callbacks(*system);
      against.model = std::move(*system);
    }
  }
  return against;
}

void sort_by_place(Faults & faults)
{
  std::stable_sort(
    faults.begin(), faults.end(), [](const takt_rt::Fault & a, const takt_rt::Fault & b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
}

/// `read`: the schedule, or its readable parts. A faulty list lacks callbacks, so a name missing
/// there proves no fault.
CheckReport check(
  const Arguments & arguments, const Schedule & read, const Against & against, bool has_faults)
{
  CheckReport report;
  const bool listed =
    (!arguments.ids.empty() || !arguments.system.empty()) && against.faults.empty();
  if (listed && !has_faults) {
    report = takt_schedule::check(read, against.callbacks, arguments.executor);
  } else if (listed && !read.executors.empty()) {
    report = takt_schedule::check_names(read, against.callbacks, arguments.executor);
  } else if (
    !arguments.executor.empty() && !read.executors.empty() &&
    read.find(arguments.executor) == nullptr) {
    report.faults = takt_schedule::check(read, {}, arguments.executor).faults;
  }
  Faults faults = takt_schedule::unlikely_ids(read, against.callbacks);
  append(faults, report.faults);
  report.faults = std::move(faults);
  return report;
}

int run(Arguments arguments)
{
  takt_schedule::Machine machine;
  machine.executor = arguments.executor;
  if (arguments.cores) {
    machine.cores.emplace(static_cast<std::size_t>(*arguments.cores));
    std::iota(machine.cores->begin(), machine.cores->end(), 0);
  }
  Schedule readable;
  const auto schedule = takt_schedule::load_schedule(arguments.schedule, machine, &readable);
  const Schedule & read = schedule ? schedule.value() : readable;
  const Faults unnamed = use_named_system(arguments, read);
  const Against against = read_against(arguments);
  CheckReport report = check(arguments, read, against, !schedule);
  append(report.faults, schedule.faults());
  sort_by_place(report.faults);
  append(report.faults, against.faults);
  if (schedule && against.model) {
    append(report.warnings, takt_schedule::wait_warnings(*against.model, schedule.value()));
    append(report.warnings, takt_schedule::publishing_warnings(*against.model, schedule.value()));
  }
  Faults warnings = schedule ? schedule.value().warnings : Faults{};
  append(warnings, schedule ? unnamed : Faults{});
  append(warnings, against.model ? against.model->warnings : Faults{});
  append(warnings, report.warnings);
  report.warnings = std::move(warnings);
  const Schedule * const good = schedule ? &schedule.value() : nullptr;
  if (arguments.json) {
    return print_json(good, report);
  }
  if (auto other = takt_schedule::other_system(read, against.callbacks)) {
    other->text += " takt check --json has each of them";
    sum_up_unmatched(report, *other);
  }
  return print_text(arguments, good, report);
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{"Checks a takt schedule file without running anything.", "takt_check"};
  Arguments arguments;
  app.add_option("schedule", arguments.schedule, "the schedule file")->required();
  CLI::Option * const ids = app.add_option(
    "--ids", arguments.ids,
    "check against these callbacks: JSON {\"callbacks\": [{\"id\", \"kind\", \"group\"}]}, - for "
    "standard input");
  app
    .add_option(
      "--system", arguments.system,
      "check against the callbacks and groups of this system model (default: the one that the "
      "schedule names)")
    ->excludes(ids);
  app.add_option(
    "--models", arguments.models,
    "folders of shipped models, which schedules call by their bare names");
  app.add_option("--executor", arguments.executor, "only this executor will run on this machine");
  app.add_option("--cores", arguments.cores, "check for a machine with this many cores")
    ->check(CLI::Range(1, 65536));
  app.add_flag("--json", arguments.json, "print everything as JSON");
  return takt_schedule::run_program(app, argc, argv, [&] { return run(std::move(arguments)); });
}
