// takt_audit: lists the callbacks that a schedule lets run side by side and that ran one at a time
// before.
//
// Prints JSON. Exit codes: 0 the list is complete, 2 a file or the command line is faulty, 1 the
// list could not be written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/side_by_side.hpp"
#include "takt_core/adapter/callback_ids.hpp"
#include "takt_core/names.hpp"
#include "takt_schedule/listed_callbacks.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_schedule/parse_system.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/reader/file_text.hpp"

namespace
{

using nlohmann::ordered_json;
using takt_schedule::AuditedExecutor;
using takt_schedule::Before;
using takt_schedule::ClientLibrary;
using takt_schedule::Schedule;

struct Arguments
{
  std::string schedule;
  std::string earlier;
  std::string program;
  std::string system;
  std::string executor;
  bool in_groups = false;
};

// Of a model. Of a program takt_cli looks at each pair.
constexpr std::size_t kMostPairs = 10'000;

Before before_of(const std::string & word)
{
  return word == "in_groups"      ? Before::in_groups
         : word == "timers_apart" ? Before::timers_apart
                                  : Before::one_at_a_time;
}

const char * word_of(Before before)
{
  switch (before) {
    case Before::in_groups:
      return "in_groups";
    case Before::timers_apart:
      return "timers_apart";
    case Before::one_at_a_time:
      break;
  }
  return "one_at_a_time";
}

ClientLibrary library_of(const std::string & word)
{
  return word == "rclcpp"     ? ClientLibrary::rclcpp
         : word == "takt_rcl" ? ClientLibrary::takt_rcl
                              : ClientLibrary::unknown;
}

/// {"executors": [{"name", "before", "is_pool", "library", "callbacks": [{"id", "kind", "group",
/// "reentrant", "background"}]}]}, as takt_cli writes it.
takt_rt::Result<std::vector<AuditedExecutor>> read_program(const std::string & path)
{
  constexpr std::size_t kMostBytes = 64U << 20U;
  const auto text = takt_schedule::file_text(path, "a JSON file of executors", kMostBytes);
  if (!text) {
    return text.faults();
  }
  std::vector<AuditedExecutor> result;
  try {
    const auto json = nlohmann::json::parse(*text);
    for (const auto & executor : json.at("executors")) {
      AuditedExecutor & one = result.emplace_back();
      one.name = executor.at("name").get<std::string>();
      one.before = before_of(executor.at("before").get<std::string>());
      one.is_pool = executor.at("is_pool").get<bool>();
      one.library = library_of(executor.at("library").get<std::string>());
      for (const auto & callback : executor.at("callbacks")) {
        auto & list = callback.at("background").get<bool>() ? one.background : one.callbacks;
        takt_schedule::ListedCallback & listed = list.emplace_back();
        listed.id = takt_core::adapter::normal_id(callback.at("id").get<std::string>());
        listed.group = callback.at("group").get<std::string>();
        listed.reentrant = callback.at("reentrant").get<bool>();
        const auto kind = callback.at("kind").get<std::string>();
        listed.kind =
          kind == "sub"
            ? takt_core::Kind::subscription
            : takt_core::from_string<takt_core::Kind>(kind).value_or(takt_core::Kind::waitable);
      }
    }
  } catch (const nlohmann::json::exception & error) {
    return takt_rt::Faults{path + ": is not a list of executors: " + error.what()};
  }
  return result;
}

/// One executor for each of the model's.
std::vector<AuditedExecutor> executors_of(const takt_schedule::System & system, Before before)
{
  std::vector<AuditedExecutor> result;
  std::map<std::string, std::size_t> known;
  for (auto & callback : takt_schedule::listed_callbacks(system)) {
    const auto [found, fresh] = known.emplace(callback.executor, result.size());
    if (fresh) {
      result.push_back({callback.executor, {}, before});
    }
    result[found->second].callbacks.push_back(std::move(callback));
  }
  return result;
}

/// A note if several callbacks of one node have no group, which is seldom so in ROS 2.
takt_rt::Faults without_group(
  const std::string & system, const std::vector<AuditedExecutor> & executors)
{
  std::map<std::string, std::size_t> of_node;
  for (const AuditedExecutor & executor : executors) {
    for (const auto & callback : executor.callbacks) {
      of_node[callback.id.substr(0, callback.id.find(':'))] += callback.group.empty() ? 1 : 0;
    }
  }
  takt_rt::Faults notes;
  for (const auto & [node, count] : of_node) {
    if (count > 1) {
      notes.push_back(fmt::format(
        "{0}: {1} callbacks of '{2}' name no group and are taken to have one each; in ROS 2 they "
        "share the node's "
        "default one and run one at a time unless the code makes others: name it, group: "
        "\"{2}:group(default)\"",
        system, count, node));
    }
  }
  return notes;
}

ordered_json to_json(
  const AuditedExecutor & executor, const takt_schedule::Audit & audit, std::size_t most_pairs)
{
  auto callbacks = ordered_json::array();
  for (std::size_t i = 0; i < executor.callbacks.size(); ++i) {
    const auto & callback = executor.callbacks[i];
    callbacks.push_back(
      {{"id", callback.id},
       {"group", callback.group},
       {"reentrant", callback.reentrant},
       {"threads", audit.threads[i]}});
  }
  auto pairs = ordered_json::array();
  for (const auto & pair : audit.pairs) {
    if (pairs.size() == most_pairs) {
      break;
    }
    pairs.push_back({{"first", pair.first}, {"second", pair.second}});
  }
  auto notes = takt_rt::sentences(audit.notes);
  for (const auto & one : audit.unmatched) {
    for (std::string & rule : takt_rt::sentences(one.rules)) {
      notes.push_back(std::move(rule));
    }
  }
  return {
    {"name", executor.name},
    {"schedule_executor", audit.executor},
    {"before", word_of(executor.before)},
    {"callbacks", callbacks},
    {"pairs", pairs},
    {"pair_count", audit.pairs.size()},
    {"kept", audit.kept},
    {"already", audit.already},
    {"notes", notes}};
}

int run(const Arguments & arguments)
{
  takt_schedule::Machine machine;
  const auto schedule = takt_schedule::load_schedule(arguments.schedule, machine);
  if (!schedule) {
    return takt_schedule::refuse(schedule.faults());
  }
  std::optional<Schedule> earlier;
  if (!arguments.earlier.empty()) {
    auto read = takt_schedule::load_schedule(arguments.earlier, machine);
    if (!read) {
      return takt_schedule::refuse(read.faults());
    }
    earlier = std::move(*read);
  }
  std::vector<AuditedExecutor> executors;
  takt_rt::Faults notes;
  if (!arguments.program.empty()) {
    auto read = read_program(arguments.program);
    if (!read) {
      return takt_schedule::refuse(read.faults());
    }
    executors = std::move(*read);
  } else {
    const auto system = takt_schedule::load_system(arguments.system);
    if (!system) {
      return takt_schedule::refuse(system.faults());
    }
    executors =
      executors_of(*system, arguments.in_groups ? Before::in_groups : Before::one_at_a_time);
    notes = without_group(arguments.system, executors);
  }
  std::vector<takt_schedule::Audit> audits;
  takt_rt::Faults faults;
  for (const AuditedExecutor & executor : executors) {
    auto audit = takt_schedule::side_by_side(
      executor, *schedule, earlier ? &*earlier : nullptr, arguments.executor);
    faults.insert(faults.end(), audit.faults().begin(), audit.faults().end());
    if (audit) {
      audits.push_back(std::move(*audit));
    }
  }
  if (!faults.empty()) {
    return takt_schedule::refuse(faults);
  }
  takt_schedule::keep_unmatched_by_all(audits);
  const std::size_t most_pairs =
    arguments.program.empty() ? kMostPairs : std::numeric_limits<std::size_t>::max();
  auto json = ordered_json::array();
  for (std::size_t i = 0; i < audits.size(); ++i) {
    json.push_back(to_json(executors[i], audits[i], most_pairs));
  }
  fmt::print(
    "{}\n", ordered_json({{"executors", json}, {"notes", takt_rt::sentences(notes)}})
              .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Lists the callbacks that a schedule lets run side by side and that ran one at a time before.",
    "takt_audit"};
  Arguments arguments;
  app.add_option("schedule", arguments.schedule, "the schedule file")->required();
  app.add_option("--before", arguments.earlier, "the schedule that was in force before");
  CLI::Option * const program =
    app.add_option("--program", arguments.program, "JSON of the program's executors");
  CLI::Option * const system =
    app.add_option("--system", arguments.system, "the callbacks of this system model");
  program->excludes(system);
  app.add_option("--executor", arguments.executor, "the schedule's executor");
  app.add_flag(
    "--in-groups", arguments.in_groups,
    "the model's executors had a pool of threads before, so groups alone kept callbacks apart");
  return takt_schedule::run_program(app, argc, argv, [&] {
    if (arguments.program.empty() == arguments.system.empty()) {
      throw CLI::ValidationError("give one of --program and --system");
    }
    return run(arguments);
  });
}
