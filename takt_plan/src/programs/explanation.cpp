#include "explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "model/printed.hpp"
#include "table.hpp"
#include "term_text.hpp"

namespace takt_plan::program
{
namespace
{

using detail::printed;
using detail::printed_down;
using detail::printed_up;

constexpr std::size_t kMostReasons = 20;  // reasons of chains without a bound; --json has all

std::string deadline_of(const Chain & chain)
{
  return chain.deadline == kUnbounded ? "none" : printed(chain.deadline);
}

// "18.8ms" to spare, or the missing time.
std::string spare(const Chain & chain, Ns bound)
{
  if (chain.deadline == kUnbounded) {
    return "";
  }
  return bound <= chain.deadline ? printed_down(chain.deadline - bound)
                                 : printed_up(bound - chain.deadline) + " too late";
}

// "core 0 of car", or a list of cores.
std::string place_of(const Model & model, Index task)
{
  std::set<Index> cores;
  for (const Index thread : model.tasks[task].threads) {
    cores.insert(model.threads[thread].cores.begin(), model.threads[thread].cores.end());
  }
  if (cores.size() == 1) {
    return model.core_name(*cores.begin());
  }
  std::vector<int> numbers;
  for (const Index core : cores) {
    numbers.push_back(model.cores[core].number);
  }
  const std::string & host = model.hosts[model.tasks[task].host];
  return fmt::format("cores {} of {}", fmt::join(numbers, ", "), host);
}

std::string signed_time(Ns time)
{
  return time < 0 ? "- " + printed(-time) : "  " + printed(time);
}

/// Describes the worst activation of a chain with known phases.
std::string worst_activation(const ChainAnswer & answer)
{
  const std::optional<PhasedActivation> activation =
    answer.segments.empty() ? std::nullopt : answer.segments.front().activation;
  return !activation
           ? std::string()
           : fmt::format(
               "the worst activation is released at {}, and every {} from then on; releases of "
               "other callbacks count from the same instant\n",
               printed(activation->release), printed(activation->hyperperiod));
}

/// The segments of a part. `begin`: from the chain's release to the begin of the part. `number`: of
/// the next segment; the function counts it up.
std::string by_segments(
  const Model & model, const Chain & chain, const ChainAnswer & answer, Ns begin,
  std::size_t & number)
{
  std::string text = worst_activation(answer);
  Ns reached = 0;
  for (std::size_t i = 0; i < answer.segments.size(); ++i) {
    const SegmentBound & segment = answer.segments[i];
    std::vector<std::string> ids;
    std::vector<std::string> threads;
    std::set<std::string> places;
    for (const Index task : segment.tasks) {
      ids.push_back(model.id_on(chain, task));
      places.insert(place_of(model, task));
      const std::string thread = threads_of(model, task);
      if (threads.empty() || threads.back() != thread) {
        threads.push_back(thread);
      }
    }
    text += fmt::format(
      "\n{}. {}\n   on {}, thread {}\n", number++, fmt::join(ids, " -> "),
      fmt::join(places, " and "), fmt::join(threads, ", "));
    std::vector<Row> rows;
    const Ns before = segment.released - reached;
    if (before > 0) {
      rows.push_back(
        {"    ", signed_time(before),
         i == 0 ? "released late (jitter)" : "message under way, or release jitter"});
    }
    BoundTerms terms = in_order(segment.terms);
    const std::string small =
      segment.analysis == Analysis::jobs ? small_interference(terms) : std::string();
    for (const BoundTerm & term : in_order(std::move(terms))) {
      std::string time = signed_time(term.time);
      const bool is_small = term.kind == TermKind::interference && term.task == kNone &&
                            term.thread == kNone && term.other == kNone;
      if (is_small) {
        rows.push_back({"    ", std::move(time), small});
        continue;
      }
      for (std::string & line : lines_of(model, chain, segment, term)) {
        rows.push_back({"    ", std::exchange(time, ""), std::move(line)});
      }
    }
    if (segment.waiting > 0) {
      rows.push_back(
        {"    ", signed_time(segment.waiting),
         "until its set of newest messages is complete and handled, or a newer message replaces "
         "it"});
    }
    reached = add(segment.released, add(segment.response, segment.waiting));
    rows.push_back(
      {"   =", signed_time(add(begin, reached)), "latest end, after the chain's release"});
    text += table(rows);
  }
  return text;
}

std::string read_by(
  const Model & model, const Chain & chain, const PathPart & before, const PathPart & part,
  Ns reached)
{
  std::vector<Row> rows;
  if (part.under_way > 0) {
    rows.push_back({"    ", signed_time(part.under_way), "message under way"});
  }
  const std::string & reader = model.id_on(chain, part.tasks.front());
  const std::string & from = model.id_on(chain, before.tasks.back());
  if (before.border && *before.border == 0) {
    rows.push_back(
      {"    ", signed_time(part.next), "until the next run that takes its messages is due"});
    return fmt::format(
             "\n{} are there at the border: the next group with let publishes what is due\n",
             from) +
           table(rows);
  }
  if (before.border) {
    rows.push_back(
      {"   =", signed_time(reached), "border, after the chain's release at the latest"});
    return fmt::format(
             "\n{} has let: its messages go out at the end of its period of {}, whatever its run "
             "takes\n",
             from, printed(*before.border)) +
           table(rows);
  }
  if (const auto & input = model.tasks[part.tasks.front()].input) {
    rows.push_back({"    ", signed_time(part.next), "until the next run that takes it is due"});
    const char * const others = input->takers.size() > 1 ? ", or of another callback," : "";
    return fmt::format(
             "\n{} does not trigger: a message of {} waits for the next run of {}{} that takes "
             "it\n",
             reader, from, model.tasks[input->takers.front()].id, others) +
           table(rows);
  }
  rows.push_back(
    {"    ", signed_time(part.next), "until the next run that reads the message is due"});
  return fmt::format(
           "\n{0} takes the newest message of {1} each time that {0} starts\n", reader, from) +
         table(rows);
}

std::string age_of(const takt_rt::Result<Ns> & age)
{
  return age ? printed_up(*age) : "none";
}

}  // namespace

bool above_bound(const takt_rt::Result<ChainAnswer> & answer, const SimulatedPlan::Chain & seen)
{
  return answer.ok() && seen.count > 0 && seen.worst > answer->bound;
}

namespace
{

std::string result_of(
  const Chain & chain, const takt_rt::Result<ChainAnswer> & answer,
  const SimulatedPlan::Chain & seen)
{
  // Either the bound or the simulation is wrong.
  if (above_bound(answer, seen)) {
    return fmt::format(
      "WRONG: {} above its bound in simulation", printed(seen.worst - answer->bound));
  }
  if (chain.deadline == kUnbounded) {
    return "";
  }
  const char * const pays = seen.pays_for_periods ? ", so that no timer skips a period" : "";
  return meets_deadline(chain, answer) ? "proven"
         : seen.met()
           ? (seen.pays_for_periods ? "met in simulation, not proven" : "met in simulation") +
               std::string(pays)
         : seen.count == 0
           ? std::string("never ended in simulation") + pays
           : fmt::format(
               "late by {} in simulation{}", printed_up(seen.worst - chain.deadline), pays);
}

}  // namespace

std::string chain_table(
  const Model & model, const Bounds & bounds, const std::vector<Index> & chains,
  const SimulatedPlan * simulated)
{
  std::vector<Row> rows{{"chain", "priority", "deadline", "bound", "to spare"}};
  if (simulated != nullptr) {
    rows.front().insert(rows.front().end(), {"simulated", "result"});
  }
  std::string reasons;
  std::size_t without = 0;
  for (const Index i : chains) {
    const Chain & chain = model.chains[i];
    const auto & answer = bounds.chains[i];
    rows.push_back(
      {chain.name, std::to_string(chain.priority), deadline_of(chain),
       answer ? printed_up(answer->bound) : "none", answer ? spare(chain, answer->bound) : ""});
    if (simulated != nullptr) {
      const SimulatedPlan::Chain & seen = simulated->chains[i];
      rows.back().push_back(seen.count > 0 ? printed_up(seen.worst) : "none");
      rows.back().push_back(result_of(chain, answer, seen));
    }
    if (!answer && ++without <= kMostReasons) {
      for (const takt_rt::Fault & why : answer.faults()) {
        reasons += fmt::format("{} has no bound: {}\n", chain.name, to_string(why));
      }
    }
  }
  if (without > kMostReasons) {
    reasons += fmt::format(
      "{} more chains have no bound; --json says why of each\n", without - kMostReasons);
  }
  return table(rows) + reasons;
}

std::string impossible(const Chain & chain, Ns alone)
{
  return fmt::format(
    " No schedule can meet its deadline of {}: its callbacks alone take {}.",
    printed(chain.deadline), printed(alone));
}

std::string group_line(const Model & model, const Chain & chain, const EndToEnd & answer)
{
  if (answer.response <= chain.deadline) {
    return {};
  }
  const auto in_chain = [&](Index task) {
    return std::find(chain.path.begin(), chain.path.end(), task) != chain.path.end();
  };
  std::set<Index> mates;
  std::set<Index> own;
  Ns sum = 0;
  for (const PathPart & part : answer.parts) {
    for (const SegmentBound & segment : part.answer.segments) {
      for (const BoundTerm & term : segment.terms) {
        const Index group = term.task == kNone ? kNone : model.tasks[term.task].group;
        if (group == kNone || !model.groups[group].exclusive || in_chain(term.task)) {
          continue;
        }
        for (const Index task : chain.path) {
          if (model.tasks[task].group == group) {
            own.insert(task);
            mates.insert(term.task);
          }
        }
        sum = mates.count(term.task) != 0 ? add(sum, term.time) : sum;
      }
    }
  }
  if (mates.empty()) {
    return {};
  }
  const auto named = [&](const std::set<Index> & tasks) {
    std::vector<std::string> ids;
    for (const Index task : tasks) {
      ids.push_back(model.tasks[task].id);
    }
    return fmt::format("{}", fmt::join(ids, " and "));
  };
  return fmt::format(
    "{} delay{} it by {}, and share{} a mutually exclusive callback group with {}: if the code "
    "needs "
    "no mutual exclusion, callback groups of their own let them have threads of their own\n",
    named(mates), mates.size() == 1 ? "s" : "", printed(sum), mates.size() == 1 ? "s" : "",
    named(own));
}

std::string wait_lines(const Model & model, const Bounds & bounds)
{
  std::string text;
  for (const Task & task : model.tasks) {
    if (task.condition_wait > 0) {
      text += fmt::format(
        "messages of {} wait for the condition (when) of its group, at most {}, which counts as "
        "time under "
        "way\n",
        task.id, printed(task.condition_wait));
    }
  }
  for (Index task = 0; task < bounds.waits.size(); ++task) {
    if (bounds.waits[task] == 0) {
      continue;
    }
    std::vector<std::string> names;
    for (const Index other : model.tasks[task].waits_for) {
      if (std::find(names.begin(), names.end(), model.tasks[other].id) == names.end()) {
        names.push_back(model.tasks[other].id);
      }
    }
    const char * const sleeps = model.tasks[task].sleep == 0 ? ""
                                : names.empty()              ? "sleeps"
                                                             : "sleeps and ";
    text += fmt::format(
      "{} {}{} within a run{}{}, at most {}, which counts as its work\n", model.tasks[task].id,
      sleeps, names.empty() ? "" : "waits", names.empty() ? "" : " for ", fmt::join(names, " and "),
      printed(bounds.waits[task]));
  }
  return text;
}

std::string settling_line(const Model & model, const Settling & settling)
{
  const std::string sentence = when_bounds_hold(settling, model);
  return sentence.empty() ? sentence : "\n" + sentence + "\n";
}

std::string callback_table(const Model & model, const Bounds & bounds)
{
  std::vector<Row> rows{{"callback", "thread", "bound"}};
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const auto & bound = bounds.tasks[task];
    std::vector<std::string> names;
    for (const Index thread : model.tasks[task].threads) {
      names.push_back(model.threads[thread].name);
    }
    rows.push_back(
      {model.tasks[task].id, fmt::format("{}", fmt::join(names, " ")),
       bound ? printed_up(*bound) : "none: " + to_string(bound.faults().front())});
  }
  return table(rows);
}

std::string explanation(const Model & model, Index index, const EndToEnd & answer)
{
  const Chain & chain = model.chains[index];
  std::string text = fmt::format("{}: at most {}", chain.name, printed(answer.response));
  if (chain.deadline != kUnbounded) {
    text += fmt::format(
      ", deadline {}: {}", printed(chain.deadline),
      answer.response <= chain.deadline ? printed(chain.deadline - answer.response) + " to spare"
                                        : printed(answer.response - chain.deadline) + " too late");
  }
  text += '\n';
  Ns reached = 0;
  std::size_t number = 1;
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    const PathPart & part = answer.parts[i];
    if (i > 0) {
      text += read_by(model, chain, answer.parts[i - 1], part, reached);
      reached = add(reached, add(part.under_way, part.next));
    }
    if (!part.border || *part.border > 0) {
      text += by_segments(model, chain, part.answer, reached, number);
    }
    reached = add(reached, part.time());
  }
  return text;
}

std::string age_table(
  const Model & model, const EndToEndBounds & bounds, const std::vector<Index> & chains)
{
  std::vector<Row> rows{{"chain", "response", "reaction time", "data age", "age at output"}};
  std::string reasons;
  for (const Index i : chains) {
    const std::string & name = model.chains[i].name;
    const auto & answer = bounds.chains[i];
    if (!answer) {
      rows.push_back({name, "none", "none", "none", "none"});
      reasons += fmt::format("{} has no bound: {}\n", name, to_string(answer.faults().front()));
      continue;
    }
    rows.push_back(
      {name, printed_up(answer->response), age_of(answer->reaction_time), age_of(answer->data_age),
       age_of(answer->age_at_output)});
    if (!answer->data_age) {
      reasons +=
        fmt::format("{} has no data age: {}\n", name, to_string(answer->data_age.faults().front()));
    }
  }
  return table(rows) + reasons;
}

}  // namespace takt_plan::program
