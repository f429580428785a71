// takt_explain: a bound on the response time of each chain of a system under a schedule, or the
// reason why a chain has no bound. For one chain, the terms of its bound.
//
// Exit codes: 0 each requested chain has a bound within its deadline, 1 a requested chain has no
// such bound (or the output could not be written), 2 a file or the command line is faulty.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "analysis/end_to_end/history_depth.hpp"
#include "analysis/end_to_end/replaced.hpp"
#include "analysis/inputs/conditions.hpp"
#include "analysis/inputs/inputs.hpp"
#include "depth_report.hpp"
#include "explanation.hpp"
#include "hyperperiod_json.hpp"
#include "model/many_ways.hpp"
#include "planners/misfit.hpp"
#include "takt_plan/end_to_end.hpp"
#include "takt_plan/load_plan.hpp"
#include "takt_plan/settling.hpp"
#include "takt_schedule/named_system.hpp"
#include "takt_schedule/program.hpp"
#include "takt_schedule/quoted.hpp"
#include "takt_schedule/reader/text.hpp"
#include "term_text.hpp"

namespace
{

using nlohmann::json;
using takt_plan::EndToEndBounds;
using takt_plan::Index;
using takt_plan::kNone;
using takt_plan::kUnbounded;
using takt_plan::Model;
using takt_plan::Ns;
using takt_plan::program::age_table;
using takt_plan::program::callback_table;
using takt_plan::program::chain_table;
using takt_plan::program::depth_table;
using takt_plan::program::depths_as_json;
using takt_plan::program::explanation;
using takt_rt::Faults;
using takt_schedule::kBadInput;

constexpr int kLate = 1;

struct Arguments
{
  std::string schedule;
  std::string system;
  std::vector<std::string> models;
  std::string chain;
  bool callbacks = false;
  bool ages = false;
  bool depths = false;
  bool jobs = false;
  bool json = false;
};

struct Answer
{
  Faults faults;  // of the input files
  std::string system;
  std::vector<std::string> warnings;
  takt_plan::Plan plan;
  EndToEndBounds found;
  std::vector<takt_plan::HistoryDepth> depths;
  std::vector<Index> chains;  // the requested chains, the most important first
  takt_plan::Settling settling;
  json hyperperiod;  // with --jobs only
};

/// The number of chains that have a bound without terms.
std::ptrdiff_t without_terms(const EndToEndBounds & found)
{
  const auto none = [](const takt_plan::SegmentBound & segment) { return segment.terms.empty(); };
  return std::count_if(found.chains.begin(), found.chains.end(), [&](const auto & chain) {
    return chain.ok() &&
           std::any_of(chain->parts.begin(), chain->parts.end(), [&](const auto & part) {
             return std::any_of(part.answer.segments.begin(), part.answer.segments.end(), none);
           });
  });
}

Answer analyse(const Arguments & arguments)
{
  Answer answer;
  std::string system = arguments.system;
  if (system.empty()) {
    const auto named = takt_schedule::named_system(arguments.schedule, arguments.models);
    if (!named) {
      answer.faults = named.faults();
      return answer;
    }
    system = *named;
  }
  answer.system = system;
  auto plan = takt_plan::load_plan(system, arguments.schedule);
  if (!plan) {
    answer.faults = plan.faults();
    return answer;
  }
  answer.warnings = plan->warnings;
  if (arguments.jobs) {
    auto hyperperiod = takt_plan::program::hyperperiod_json(*plan);
    if (!hyperperiod) {
      answer.faults = hyperperiod.faults();
      return answer;
    }
    answer.hyperperiod = std::move(*hyperperiod);
  }
  answer.plan = std::move(*plan);
  auto model = takt_plan::with_inputs_in_takers(std::move(answer.plan.model));
  if (model) {
    model = takt_plan::with_conditions(std::move(*model));
  }
  if (!model) {
    answer.faults = model.faults();
    return answer;
  }
  answer.plan.model = std::move(*model);
  const auto & chains = answer.plan.model.chains;
  answer.chains.resize(chains.size());
  std::iota(answer.chains.begin(), answer.chains.end(), Index{0});
  std::stable_sort(answer.chains.begin(), answer.chains.end(), [&](Index a, Index b) {
    return chains[a].priority > chains[b].priority;
  });
  if (!arguments.chain.empty()) {
    std::erase_if(
      answer.chains, [&](Index chain) { return chains[chain].name != arguments.chain; });
    if (answer.chains.empty()) {
      std::vector<std::string> names;
      for (const auto & chain : chains) {
        names.push_back(chain.name);
      }
      const std::string known = takt_schedule::suggestion(arguments.chain, names, "chains");
      answer.faults.push_back(fmt::format(
        "--chain: there is no chain {}{}", takt_schedule::quoted(arguments.chain),
        known.empty() ? "; the system has none" : known));
      return answer;
    }
    // With many chains, terms take long. The bound of a chain does not depend on the other
    // requested chains.
    answer.plan.model.chains = {answer.plan.model.chains[answer.chains.front()]};
    answer.chains = {0};
  }
  const bool explain = arguments.json || !arguments.chain.empty();
  auto found = takt_plan::end_to_end(answer.plan.model, {}, explain);
  auto depths = takt_plan::history_depths(answer.plan.model);
  answer.faults = found.faults();
  if (found && depths) {
    answer.found = std::move(*found);
    answer.depths = std::move(*depths);
    for (Index task = 0; task < answer.plan.model.tasks.size(); ++task) {
      if (const auto & input = answer.plan.model.tasks[task]; input.input) {
        answer.found.bounds.tasks[task] =
          Faults{takt_plan::runs_in_takers(answer.plan.model, input)};
      }
    }
    answer.settling = takt_plan::settling(answer.plan.model, answer.found.bounds);
    if (auto many = takt_plan::many_ways(answer.plan.system, answer.plan.model)) {
      answer.warnings.push_back(std::move(*many));
    }
    if (const auto chains = without_terms(answer.found); explain && chains > 0) {
      answer.warnings.push_back(fmt::format(
        "of the {} least important chains terms are left out, as there are more than {}; "
        "--chain gives those of one",
        chains, takt_plan::kMostTerms));
    }
    for (std::string & warning : takt_plan::replaced_warnings(answer.plan.model, answer.chains)) {
      answer.warnings.push_back(std::move(warning));
    }
    for (std::string & warning :
         takt_plan::program::assumed_depths(answer.plan.system, answer.plan.model)) {
      answer.warnings.push_back(std::move(warning));
    }
    for (std::string & warning :
         takt_plan::program::depth_warnings(answer.plan.system, answer.depths)) {
      answer.warnings.push_back(std::move(warning));
    }
  }
  return answer;
}

bool all_met(const Answer & answer)
{
  return std::all_of(answer.chains.begin(), answer.chains.end(), [&](Index chain) {
    return takt_plan::meets_deadline(
      answer.plan.model.chains[chain], answer.found.bounds.chains[chain]);
  });
}

json segment_json(
  const Model & model, const takt_plan::Chain & chain, const takt_plan::SegmentBound & segment)
{
  auto callbacks = json::array();
  for (const Index task : segment.tasks) {
    const Index on = model.tasks[task].threads.front();
    callbacks.push_back({{"id", model.id_on(chain, task)}, {"thread", model.threads[on].name}});
  }
  const auto & thread = model.threads[model.tasks[segment.tasks.front()].threads.front()];
  auto cores = json::array();
  for (const Index core : thread.cores) {
    cores.push_back(model.cores[core].number);
  }
  json one{
    {"analysis", takt_plan::to_string(segment.analysis)},
    {"callbacks", callbacks},
    {"host", model.hosts[thread.host]},
    {"cores", cores},
    {"released_ns", segment.released},
    {"response_ns", segment.response},
    {"terms",
     segment.terms.empty() ? json() : takt_plan::program::terms_json(model, chain, segment.terms)},
    {"waiting_ns", segment.waiting}};
  if (segment.activation) {
    one["activation_ns"] = segment.activation->release;
    one["hyperperiod_ns"] = segment.activation->hyperperiod;
  }
  return one;
}

json segments_json(
  const Model & model, const takt_plan::Chain & chain, const takt_plan::ChainAnswer & answer)
{
  auto segments = json::array();
  for (const auto & segment : answer.segments) {
    segments.push_back(segment_json(model, chain, segment));
  }
  return segments;
}

json part_json(
  const Model & model, const takt_plan::Chain & chain, const takt_plan::PathPart & part)
{
  auto callbacks = json::array();
  for (const Index task : part.tasks) {
    callbacks.push_back(model.id_on(chain, task));
  }
  return {
    {"callbacks", callbacks},
    {"under_way_ns", part.under_way},
    {"next_ns", part.next},
    {"bound_ns", part.answer.bound},
    {"border_ns", part.border ? json(*part.border) : json()},
    {"analysis", takt_plan::to_string(part.answer.analysis)},
    {"segments", segments_json(model, chain, part.answer)}};
}

json age_json(const takt_rt::Result<Ns> & age)
{
  return age ? json(*age) : json();
}

json chain_json(const Answer & answer, Index i)
{
  const Model & model = answer.plan.model;
  const auto & chain = model.chains[i];
  const auto & found = answer.found.bounds.chains[i];
  json one{
    {"name", chain.name},
    {"priority", chain.priority},
    {"deadline_ns", chain.deadline == kUnbounded ? json() : json(chain.deadline)},
    {"bound_ns", found ? json(found->bound) : json()},
    {"met", takt_plan::meets_deadline(chain, found)},
    {"why", found ? json() : json(to_string(found.faults().front()))}};
  if (const auto & whole = answer.found.chains[i]; found && whole) {
    if (whole->parts.size() == 1) {
      one["analysis"] = takt_plan::to_string(found->analysis);
      one["segments"] = segments_json(model, chain, *found);
    } else {
      one["analysis"] = "parts";
      auto & parts = one["parts"] = json::array();
      for (const takt_plan::PathPart & part : whole->parts) {
        parts.push_back(part_json(model, chain, part));
      }
    }
    one["reaction_time_ns"] = age_json(whole->reaction_time);
    one["data_age_ns"] = age_json(whole->data_age);
    one["age_at_output_ns"] = age_json(whole->age_at_output);
    one["why_no_data_age"] =
      whole->data_age ? json() : json(to_string(whole->data_age.faults().front()));
  }
  return one;
}

int print_json(const Answer & answer)
{
  json all{{"schema", 1}, {"faults", sentences(answer.faults)}, {"warnings", answer.warnings}};
  auto & chains = all["chains"] = json::array();
  auto & callbacks = all["callbacks"] = json::array();
  if (answer.faults.empty()) {
    for (const Index i : answer.chains) {
      chains.push_back(chain_json(answer, i));
    }
    const Model & model = answer.plan.model;
    // Behind these are border tasks (analysis/inputs/let.hpp).
    for (Index i = 0; i < answer.plan.system.callbacks.size(); ++i) {
      const auto & bound = answer.found.bounds.tasks[i];
      callbacks.push_back(
        {{"id", model.tasks[i].id},
         {"ids", answer.plan.system.callbacks[i].all_ids()},
         {"bound_ns", bound ? json(*bound) : json()},
         {"waits_ns", answer.found.bounds.waits.empty() ? 0 : answer.found.bounds.waits[i]},
         {"why", bound ? json() : json(to_string(bound.faults().front()))}});
    }
  }
  all["system"] = answer.system;
  all["settles_ns"] = answer.settling.after ? json(*answer.settling.after) : json();
  all["when_bounds_hold"] = when_bounds_hold(answer.settling, answer.plan.model);
  auto & for_good = all["never_settle"] = json::array();
  for (const Index task : answer.settling.for_good) {
    for_good.push_back(answer.plan.model.tasks[task].id);
  }
  all["depths"] = depths_as_json(answer.plan.system, answer.depths);
  if (!answer.hyperperiod.is_null()) {
    all["hyperperiod"] = answer.hyperperiod;
  }
  all["met"] = answer.faults.empty() && all_met(answer);
  fmt::print("{}\n", all.dump(2, ' ', false, json::error_handler_t::replace));
  return answer.faults.empty() ? (all["met"] ? 0 : kLate) : kBadInput;
}

int print_text(const Arguments & arguments, const Answer & answer)
{
  takt_schedule::warn(answer.warnings);
  if (!answer.faults.empty()) {
    return takt_schedule::refuse(answer.faults);
  }
  const Model & model = answer.plan.model;
  const bool one = !arguments.chain.empty();
  if (one && answer.found.chains[answer.chains.front()]) {
    const Index chain = answer.chains.front();
    fmt::print("{}", explanation(model, chain, *answer.found.chains[chain]));
  } else {
    fmt::print(
      "{}", answer.chains.empty() ? "the system has no chains\n"
                                  : chain_table(model, answer.found.bounds, answer.chains));
  }
  for (const Index chain : answer.chains) {
    const takt_plan::Chain & one_of = model.chains[chain];
    const Ns alone = takt_plan::work_alone(answer.plan.system, one_of);
    if (alone > one_of.deadline) {
      fmt::print("{}:{}\n", one_of.name, takt_plan::program::impossible(one_of, alone));
    } else if (one && answer.found.chains[chain]) {
      fmt::print("{}", takt_plan::program::group_line(model, one_of, *answer.found.chains[chain]));
    }
  }
  fmt::print("{}", takt_plan::program::wait_lines(model, answer.found.bounds));
  fmt::print("{}", takt_plan::program::settling_line(model, answer.settling));
  if (arguments.ages && !answer.chains.empty()) {
    fmt::print("\n{}", age_table(model, answer.found, answer.chains));
  }
  if (arguments.callbacks) {
    fmt::print("\n{}", callback_table(model, answer.found.bounds));
  }
  if (arguments.depths) {
    fmt::print("\n{}", depth_table(answer.plan.system, answer.depths));
  }
  return all_met(answer) ? 0 : kLate;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Bounds on the response times of a system's chains under a schedule, and what they are made "
    "of.",
    "takt_explain"};
  Arguments arguments;
  app.add_option("schedule", arguments.schedule, "the schedule file")->required();
  app.add_option(
    "--system", arguments.system, "the system model it is for (the one that the schedule names)");
  app.add_option(
    "--models", arguments.models,
    "folders of shipped models, which schedules call by their bare names");
  app.add_option("--chain", arguments.chain, "explain the bound of this chain, term by term");
  app.add_flag("--callbacks", arguments.callbacks, "also the bound of each callback");
  app.add_flag("--ages", arguments.ages, "also reaction times and data ages");
  app.add_flag("--depths", arguments.depths, "also how many messages each history must keep");
  app.add_flag("--json", arguments.json, "print everything as JSON");
  app
    .add_flag(
      "--jobs", arguments.jobs,
      "also the windows of the jobs of a hyperperiod, and a simulated run, where phases are known")
    ->needs("--json");
  return takt_schedule::run_program(app, argc, argv, [&] {
    const Answer answer = analyse(arguments);
    return arguments.json ? print_json(answer) : print_text(arguments, answer);
  });
}
