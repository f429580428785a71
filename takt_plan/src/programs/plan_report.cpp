#include "plan_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "explanation.hpp"
#include "model/percent.hpp"
#include "model/printed.hpp"
#include "model/streams.hpp"
#include "table.hpp"
#include "takt_rt/json_values.hpp"

namespace takt_plan::program
{
namespace
{

using detail::printed;
using Json = nlohmann::ordered_json;
using takt_rt::or_null;

constexpr std::size_t kMostShortfalls = 12;
constexpr std::size_t kMostTimers = 3;  // that the line about skipped periods names
constexpr Ns kMostShown = 1'000;
constexpr Index kMostTradePoints = 20;  // approximate number of rows; --json has all points

/// The threads' names in the schedule, by thread of the assignment.
std::vector<std::string> names(const Planned & planned)
{
  std::vector<std::string> result(planned.assignment.threads.size());
  for (Index executor = 0; executor < planned.model.executors.size(); ++executor) {
    auto name = planned.schedule.executors[executor].threads.begin();
    for (Index i = 0; i < result.size(); ++i) {
      if (planned.assignment.threads[i].executor == executor) {
        result[i] = (name++)->name;
      }
    }
  }
  return result;
}

std::string threads_as_text(const Planned & planned, const std::vector<double> & load)
{
  const std::vector<std::string> name = names(planned);
  std::vector<Row> rows{{"thread", "executor", "core", "OS priority", "callbacks", "load"}};
  for (Index i = 0; i < planned.assignment.threads.size(); ++i) {
    const AssignedThread & thread = planned.assignment.threads[i];
    rows.push_back(
      {name[i], planned.model.executors[thread.executor], planned.model.core_name(thread.core),
       thread.priority > 0 ? fmt::to_string(thread.priority) : "fair",
       fmt::to_string(thread.tasks.size()), percent(load[i])});
  }
  return table(rows);
}

/// The largest offset that the plan gives a timer: with large ones a program starts late.
std::string offsets_as_text(const Planned & planned)
{
  const auto & offsets = planned.assignment.offsets;
  const auto last = std::max_element(
    offsets.begin(), offsets.end(), [](auto & a, auto & b) { return a.offset < b.offset; });
  return last == offsets.end() || last->offset == 0
           ? std::string()
           : fmt::format(
               "the plan gives timers offsets; {} starts last, {} after its program\n",
               planned.model.tasks[last->task].id, printed(last->offset));
}

std::string trade_as_text(const Planned & planned)
{
  if (planned.trade.size() < 2) {
    return {};
  }
  std::vector<Row> rows{{"threads", "least to spare", "switches/s", ""}};
  const Index last = planned.trade.size() - 1;
  const Index step = last / kMostTradePoints + 1;
  for (Index i = 0; i <= last; ++i) {
    const TradePoint & point = planned.trade[i];
    const bool chosen = point.threads == planned.chosen_threads;
    if (chosen || i % step == 0 || i == last) {
      rows.push_back(
        {fmt::to_string(point.threads), point.slack ? percent(*point.slack) : "none",
         fmt::format("{:.0f}", point.switches), chosen ? "<- chosen" : ""});
    }
  }
  return "\ntime to spare and context switches by number of threads, without trigger: false and "
         "sequences (least to spare: of all chains that meet their deadlines, as a share of the "
         "deadline; switches/s: at most):\n" +
         table(rows);
}

/// A figure that is not exact to the nanosecond: rounded to microseconds.
std::string about(Ns time)
{
  constexpr Ns kUs = 1000;
  return printed(time < kUs ? time : (time + kUs / 2) / kUs * kUs);
}

std::string waiting(const Model & model, const Chain & chain, const Wait & wait)
{
  const std::string & id = model.id_on(chain, wait.task);
  switch (wait.what) {
    case Wait::For::jitter:
      return fmt::format("the jitter of {}: {}", id, printed(wait.time));
    case Wait::For::set:
      return fmt::format("the wait for the other messages of {}: {}", id, printed(wait.time));
    case Wait::For::reader:
      return fmt::format("the wait until {} is due: {}", id, printed(wait.time));
  }
  return id;
}

const char * word_of(Wait::For what)
{
  switch (what) {
    case Wait::For::jitter:
      return "jitter";
    case Wait::For::set:
      return "set";
    case Wait::For::reader:
      return "reader";
  }
  return "";
}

std::vector<std::string> ids_of(const Model & model, const std::vector<Index> & tasks)
{
  std::vector<std::string> ids;
  for (const Index task : tasks) {
    ids.push_back(model.tasks[task].id);
  }
  return ids;
}

/// "/a:timer(10ms) had a 5 % longer period", or the same for several timers.
std::string other_periods(
  const Model & model, const std::vector<Index> & sources, const std::string & change)
{
  const std::vector<std::string> ids = ids_of(model, sources);
  return ids.size() == 1 ? fmt::format("{} had a {} period", ids.front(), change)
                         : fmt::format("{} had {} periods", fmt::join(ids, " and "), change);
}

std::string why(const PlanReport & report, const Misfit & misfit)
{
  const Model & model = report.planned.model;
  std::string text = model.chains[misfit.chain].name;
  text += misfit.late ? fmt::format(" is {} too late.", printed(*misfit.late))
                      : fmt::format(
                          " has no bound: {}.",
                          to_string(report.planned.bounds.chains[misfit.chain].faults().front()));
  const Chain & chain = model.chains[misfit.chain];
  const Ns own = std::accumulate(
    chain.path.begin(), chain.path.end(), Ns{0},
    [&](Ns sum, Index task) { return add(sum, model.tasks[task].cost()); });
  if (misfit.impossible(chain)) {
    text += impossible(chain, misfit.alone);
  } else if (own > chain.deadline) {
    text += fmt::format(
      " Its callbacks alone take {} with their overheads, and its deadline is {}.", printed(own),
      printed(chain.deadline));
  }
  if (misfit.dominant == kNone) {
    return text + (misfit.cut_short
                     ? " To find out which callback costs it most would take too long.\n"
                     : "\n");
  }
  const std::string & dominant = model.id_on(chain, misfit.dominant);
  const bool waits = misfit.wait && misfit.wait->time > misfit.share;
  text += !misfit.late ? fmt::format(" The callback {} delays it most.", dominant)
          : misfit.share == 0
            ? " No single callback costs it time: without any one of them its bound is the same."
            : fmt::format(
                "{} The callback {} costs it most: {} of its bound.",
                waits ? " It loses most by " + waiting(model, chain, *misfit.wait) + "." : "",
                dominant, about(misfit.share));
  std::vector<std::string> changes;
  if (misfit.faster_by) {
    changes.push_back(fmt::format("{} took {} % less time", dominant, *misfit.faster_by));
  }
  if (misfit.longer_by) {
    changes.push_back(
      other_periods(model, misfit.sources, fmt::format("{} % longer", *misfit.longer_by)));
  }
  if (misfit.sooner_by) {
    changes.push_back(
      other_periods(model, misfit.reader_sources, fmt::format("{} % shorter", *misfit.sooner_by)));
  }
  if (!misfit.own_groups_of.empty()) {
    const std::vector<std::string> ids = ids_of(model, misfit.own_groups_of);
    changes.push_back(
      fmt::format("{} had ", fmt::join(ids, " and ")) +
      (ids.size() == 1 ? "a callback group of its own" : "callback groups of their own"));
  }
  if (misfit.more_cores_of != kNone) {
    changes.push_back(
      model.hosts.size() == 1
        ? "there were one more core"
        : fmt::format("{} had one more core", model.hosts[misfit.more_cores_of]));
  }
  if (changes.empty() && misfit.impossible(chain)) {
    return text + "\n";
  }
  if (changes.empty() && misfit.out_of_time) {
    return text + " The time was over before takt had tried what would fix this.\n";
  }
  if (changes.empty()) {
    return text +
           fmt::format(
             " takt found no single change that fixes this; it tried less time and longer "
             "periods for {}{}{}.\n",
             dominant,
             misfit.groups_tried ? ", callback groups of their own for the chain's callbacks" : "",
             misfit.planned_again ? ", and one more core" : "");
  }
  text += " It would meet its deadline if ";
  for (Index i = 0; i < changes.size(); ++i) {
    text += (i == 0 ? "" : ", or if ") + changes[i];
  }
  return text + ".\n";
}

/// The simulated lateness of chains whose deadline is not proven.
std::string seen_late(const PlanReport & report)
{
  if (!report.simulated) {
    return {};
  }
  const auto late = std::count_if(
    report.misfits.begin(), report.misfits.end(),
    [&](const Misfit & misfit) { return !report.simulated->chains[misfit.chain].met(); });
  if (late == 0) {
    return ", but met in simulation";
  }
  const bool all = static_cast<std::size_t>(late) == report.misfits.size();
  return all ? std::string(", and late in simulation")
             : fmt::format(", {} of them late in simulation", late);
}

std::string seen_skipped(const PlanReport & report)
{
  return report.simulated && report.simulated->skipped > 0
           ? fmt::format("; timers skip {} periods in simulation", report.simulated->skipped)
           : "";
}

/// "hot", "hot and low", or "hot and 5 more".
std::string named(const Model & model, const std::vector<Index> & chains)
{
  const std::string & first = model.chains[chains.front()].name;
  return chains.size() == 1   ? first
         : chains.size() == 2 ? first + " and " + model.chains[chains.back()].name
                              : fmt::format("{} and {} more", first, chains.size() - 1);
}

std::string paid(const PlanReport & report)
{
  const Planned & planned = report.planned;
  const auto & chains = planned.paid.chains;
  return chains.empty() ? ""
                        : fmt::format(
                            "; {} {} for it that no timer skips a period",
                            named(planned.model, chains), chains.size() == 1 ? "pays" : "pay");
}

/// The other plan, in which timers skip periods.
std::string paid_to(const PlanReport & report)
{
  const Planned & planned = report.planned;
  const PaidPeriods & paid = planned.paid;
  if (paid.chains.empty()) {
    return {};
  }
  std::vector<std::string> names;
  for (const Index chain : paid.chains) {
    names.push_back(planned.model.chains[chain].name);
  }
  std::vector<std::string> timers = ids_of(planned.model, paid.timers);
  if (timers.size() > kMostTimers) {
    const std::size_t more = timers.size() - kMostTimers;
    timers.resize(kMostTimers);
    timers.push_back(fmt::format("{} more", more));
  }
  return fmt::format(
    "{} would meet {} in another plan that takt tried, but there timers skip {} periods in "
    "simulation: {}. takt prefers a plan without skipped periods. A longer period of a timer that "
    "skips may make room for both.\n",
    fmt::join(names, " and "), names.size() == 1 ? "its deadline" : "their deadlines", paid.skipped,
    fmt::join(timers, ", "));
}

std::string seen_lost(const PlanReport & report)
{
  return report.simulated && report.simulated->lost > 0
           ? fmt::format(
               "; {} overwritten in simulation",
               report.simulated->lost == 1 ? "1 message is"
                                           : fmt::format("{} messages are", report.simulated->lost))
           : "";
}

std::string seen_wrong(const PlanReport & report)
{
  const std::size_t wrong = refuted_bounds(report);
  return wrong == 0 ? ""
                    : fmt::format(
                        "; SIMULATION IS ABOVE {} BOUND{}: takt is wrong there, please report it "
                        "with the model",
                        wrong, wrong == 1 ? "" : "S");
}

const SimulatedPlan * simulated_of(const PlanReport & report)
{
  return report.simulated ? &*report.simulated : nullptr;
}

/// Rounds to about three digits.
Ns rounded(Ns time)
{
  Ns step = 1;
  for (Ns left = time; left >= kMostShown; left /= 10) {
    step *= 10;
  }
  return time / step * step;
}

std::string simulation_line(const PlanReport & report)
{
  if (!report.simulated) {
    return "";
  }
  const SimulatedPlan & seen = *report.simulated;
  const Ns length = seen.duration / static_cast<Ns>(std::max<Index>(seen.runs, 1));
  const Ns turns = seen.hyperperiod == 0 ? 0 : length / seen.hyperperiod;
  return fmt::format(
    "simulated for {}, with worst and with random execution times{}\n",
    printed(rounded(seen.duration)),
    seen.hyperperiod == 0 ? ""
                          : fmt::format(
                              ": {} runs of {}", seen.runs,
                              turns == 0   ? "less than one hyperperiod"
                              : turns == 1 ? "one hyperperiod"
                                           : fmt::format("{} hyperperiods", turns)));
}

std::string summary(const PlanReport & report)
{
  const Planned & planned = report.planned;
  std::vector<Index> cores;
  for (const AssignedThread & thread : planned.assignment.threads) {
    if (std::find(cores.begin(), cores.end(), thread.core) == cores.end()) {
      cores.push_back(thread.core);
    }
  }
  const auto counted = [](Index n, const char * what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  const std::size_t short_histories = report.short_histories.value_or(0);
  const bool some_deadline = std::any_of(
    planned.chains.begin(), planned.chains.end(),
    [&](Index chain) { return planned.model.chains[chain].deadline != kUnbounded; });
  const std::string deadlines = planned.chains.empty()   ? "there are no chains"
                                : !some_deadline         ? "no chain has a deadline to meet"
                                : report.misfits.empty() ? "all deadlines are proven"
                                                         : counted(report.misfits.size(), "chain") +
                                                             " not proven" + seen_late(report);
  return fmt::format(
    "{}, planner {}: {} on {}; {}{}{}{}", report.system, to_string(report.planner),
    counted(planned.assignment.threads.size(), "thread"), counted(cores.size(), "core"),
    deadlines + paid(report) + seen_skipped(report) + seen_lost(report) + seen_wrong(report),
    planned.shortfalls.empty()
      ? ""
      : fmt::format("; {} at the end", counted(planned.shortfalls.size(), "shortfall")),
    short_histories == 0 ? ""
                         : fmt::format(
                             "; {} {} may be too short", short_histories,
                             short_histories == 1 ? "history" : "histories"),
    report.endless_chains == 0
      ? ""
      : fmt::format(
          "; {} may never reach {} end (see the warning{})",
          counted(report.endless_chains, "chain"), report.endless_chains == 1 ? "its" : "their",
          report.endless_chains == 1 ? "" : "s"));
}

/// A document with all its fields, without a plan.
Json empty_document(const std::string & system, Planner planner)
{
  return {
    {"schema", 1},
    {"system", system},
    {"faults", Json::array()},
    {"planner", to_string(planner)},
    {"met", false},
    {"warnings", Json::array()},
    {"short_histories", Json()},
    {"endless_chains", 0},
    {"chains", Json::array()},
    {"settles_ns", Json()},
    {"when_bounds_hold", ""},
    {"never_settle", Json::array()},
    {"threads", Json::array()},
    {"trade", Json::array()},
    {"shortfalls", Json::array()},
    {"notes", Json::array()},
    {"better_baselines", Json::array()},
    {"refuted_bounds", Json()},
    {"skipped_periods", Json()},
    {"periods_kept", 0},
    {"periods_kept_of", Json::array()},
    {"overwritten_messages", Json()},
    {"ended_by_time", false},
    {"misfits", Json::array()}};
}

std::string printed(const Json & json)
{
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<double> thread_loads(const Planned & planned)
{
  const Model & model = planned.model;
  const detail::Streams streams(model, in_trigger_order(model));
  std::vector<double> result(model.threads.size(), 0);
  for (Index task = 0; task < model.tasks.size(); ++task) {
    result[model.tasks[task].threads.front()] += streams.load(model, task);
  }
  return result;
}

std::size_t refuted_bounds(const PlanReport & report)
{
  if (!report.simulated) {
    return 0;
  }
  const auto & chains = report.planned.chains;
  return static_cast<std::size_t>(std::count_if(chains.begin(), chains.end(), [&](Index chain) {
    return above_bound(report.planned.bounds.chains[chain], report.simulated->chains[chain]);
  }));
}

std::string as_text(const PlanReport & report)
{
  const Planned & planned = report.planned;
  std::string text = summary(report) + "\n\n";
  if (!planned.chains.empty()) {
    text += chain_table(planned.model, planned.bounds, planned.chains, simulated_of(report));
    text += simulation_line(report) + settling_line(planned.model, planned.settling) + "\n";
  }
  text +=
    threads_as_text(planned, report.loads) + offsets_as_text(planned) + trade_as_text(planned);
  if (
    !report.misfits.empty() || !planned.shortfalls.empty() || !planned.notes.empty() ||
    !report.better_baselines.empty()) {
    text += "\n";
  }
  for (const auto * const sentences : {&report.better_baselines, &planned.notes}) {
    for (const std::string & sentence : *sentences) {
      text += sentence + "\n";
    }
  }
  text += paid_to(report);
  for (const Misfit & misfit : report.misfits) {
    text += why(report, misfit);
  }
  const auto some = [&](bool Misfit::*const flag) {
    return std::any_of(report.misfits.begin(), report.misfits.end(), [&](const Misfit & misfit) {
      return misfit.*flag;
    });
  };
  if (!report.ended_by.empty() && !report.misfits.empty()) {
    text += fmt::format(
      "--time {} ended the search. With a longer --time, or without --time, takt may find a plan "
      "that "
      "meets more deadlines{}.\n",
      report.ended_by,
      some(&Misfit::out_of_time) ? ", and tries which changes would let late chains meet theirs"
                                 : "");
  }
  if (some(&Misfit::cut_short) && !some(&Misfit::out_of_time)) {
    text +=
      "takt did not try all changes in new plans, because that would have taken too long: smaller "
      "changes may be enough.\n";
  }
  for (Index i = 0; i < std::min(planned.shortfalls.size(), kMostShortfalls); ++i) {
    text += planned.shortfalls[i] + "\n";
  }
  if (planned.shortfalls.size() > kMostShortfalls) {
    text += fmt::format(
      "and {} more; --json has them all\n", planned.shortfalls.size() - kMostShortfalls);
  }
  return text;
}

std::string header(const PlanReport & report)
{
  const Planned & planned = report.planned;
  std::string text = summary(report) + ".\n";
  if (!planned.chains.empty()) {
    text += chain_table(planned.model, planned.bounds, planned.chains, simulated_of(report));
  }
  return text;
}

std::string faults_as_json(
  const std::string & system, Planner planner, const takt_rt::Faults & faults)
{
  Json json = empty_document(system, planner);
  json["faults"] = sentences(faults);
  return printed(json);
}

std::string as_json(const PlanReport & report)
{
  const Planned & planned = report.planned;
  const Model & model = planned.model;
  Json json = empty_document(report.system, report.planner);
  json["met"] = report.misfits.empty() && planned.shortfalls.empty();
  json["warnings"] = report.warnings;
  json["short_histories"] = report.short_histories ? Json(*report.short_histories) : Json();
  json["endless_chains"] = report.endless_chains;
  for (const Index i : planned.chains) {
    const Chain & chain = model.chains[i];
    const auto & found = planned.bounds.chains[i];
    json["chains"].push_back(
      {{"name", chain.name},
       {"priority", chain.priority},
       {"deadline_ns", chain.deadline == kUnbounded ? Json() : Json(chain.deadline)},
       {"bound_ns", found ? Json(found->bound) : Json()},
       {"met", meets_deadline(chain, found)},
       {"simulated_ns", report.simulated && report.simulated->chains[i].count > 0
                          ? Json(report.simulated->chains[i].worst)
                          : Json()},
       {"met_in_simulation", report.simulated ? Json(report.simulated->chains[i].met()) : Json()},
       {"pays_for_periods", report.simulated && report.simulated->chains[i].pays_for_periods},
       {"why", found ? Json() : Json(to_string(found.faults().front()))}});
  }
  json["settles_ns"] = planned.settling.after ? Json(*planned.settling.after) : Json();
  json["when_bounds_hold"] = when_bounds_hold(planned.settling, model);
  json["never_settle"] = ids_of(model, planned.settling.for_good);
  const std::vector<double> & load = report.loads;
  const std::vector<std::string> name = names(planned);
  for (Index i = 0; i < planned.assignment.threads.size(); ++i) {
    const AssignedThread & thread = planned.assignment.threads[i];
    json["threads"].push_back(
      {{"name", name[i]},
       {"executor", model.executors[thread.executor]},
       {"host", model.hosts[model.cores[thread.core].host]},
       {"core", model.cores[thread.core].number},
       {"priority", thread.priority},
       {"load", load[i]},
       {"callbacks", ids_of(model, thread.tasks)}});
  }
  for (const TradePoint & point : planned.trade) {
    json["trade"].push_back(
      {{"threads", point.threads},
       {"slack", point.slack ? Json(*point.slack) : Json()},
       {"switches_per_second", point.switches}});
  }
  json["shortfalls"] = planned.shortfalls;
  json["notes"] = planned.notes;
  json["better_baselines"] = report.better_baselines;
  json["refuted_bounds"] = report.simulated ? Json(refuted_bounds(report)) : Json();
  json["skipped_periods"] = report.simulated ? Json(report.simulated->skipped) : Json();
  json["overwritten_messages"] = report.simulated ? Json(report.simulated->lost) : Json();
  json["periods_kept"] = planned.paid.skipped;
  json["periods_kept_of"] = ids_of(model, planned.paid.timers);
  json["ended_by_time"] = !report.ended_by.empty();
  for (const Misfit & misfit : report.misfits) {
    const Chain & chain = model.chains[misfit.chain];
    json["misfits"].push_back(
      {{"chain", chain.name},
       {"late_ns", or_null<Json>(misfit.late)},
       {"callback", misfit.dominant == kNone ? Json() : Json(model.id_on(chain, misfit.dominant))},
       {"share_ns", misfit.share},
       {"faster_by_percent", or_null<Json>(misfit.faster_by)},
       {"longer_period_by_percent", or_null<Json>(misfit.longer_by)},
       {"longer_periods_of", ids_of(model, misfit.sources)},
       {"cut_short", misfit.cut_short},
       {"out_of_time", misfit.out_of_time},
       {"shorter_period_by_percent", or_null<Json>(misfit.sooner_by)},
       {"shorter_periods_of", ids_of(model, misfit.reader_sources)},
       {"waits_ns", misfit.wait ? Json(misfit.wait->time) : Json()},
       {"waits_for", misfit.wait ? Json(word_of(misfit.wait->what)) : Json()},
       {"waits_at", misfit.wait ? Json(model.id_on(chain, misfit.wait->task)) : Json()},
       {"own_groups_of", ids_of(model, misfit.own_groups_of)},
       {"one_more_core_of",
        misfit.more_cores_of == kNone ? Json() : Json(model.hosts[misfit.more_cores_of])}});
  }
  return printed(json);
}

}  // namespace takt_plan::program
