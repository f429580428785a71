#include "takt_schedule/to_yaml.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "takt_schedule/duration.hpp"
#include "takt_schedule/size.hpp"
#include "takt_schedule/topic_rules.hpp"
#include "threads/thread_names.hpp"
#include "watch/watch_to_yaml.hpp"
#include "writer/yaml_writer.hpp"

namespace takt_schedule
{
namespace
{

using detail::flow;
using detail::list_of;
using detail::Pairs;
using detail::scalar;
using detail::scalar_or_list;
using detail::Writer;
using takt_core::Epoch;
using takt_rt::Policy;
using takt_rt::ThreadAttributes;

void add_attributes(const ThreadAttributes & a, Pairs & pairs)
{
  if (a.policy != Policy::inherit) {
    pairs.emplace_back("policy", to_string(a.policy));
  }
  if (a.priority != 0) {
    pairs.emplace_back("priority", std::to_string(a.priority));
  }
  if (a.nice) {
    pairs.emplace_back("nice", std::to_string(*a.nice));
  }
  for (const auto & [key, value] :
       {std::pair{"runtime", a.runtime}, {"deadline", a.deadline}, {"period", a.period}}) {
    if (value != takt_rt::Duration{}) {
      pairs.emplace_back(key, print_duration(value));
    }
  }
  if (!a.cores.empty()) {
    pairs.emplace_back("cores", list_of(a.cores));
  }
}

Pairs pairs_of(const Threads & threads)
{
  Pairs pairs;
  if (threads.count != 1) {
    pairs.emplace_back("count", std::to_string(threads.count));
  }
  add_attributes(threads.attributes, pairs);
  if (threads.spread) {
    pairs.emplace_back("spread", "true");
  }
  if (threads.follow) {
    pairs.emplace_back("follow", "true");
  }
  if (threads.attributes.stack_size != 0) {
    pairs.emplace_back("stack", print_size(threads.attributes.stack_size));
  }
  if (threads.fallback) {
    pairs.emplace_back("fallback", "{nice: " + std::to_string(threads.fallback->nice) + "}");
  }
  return pairs;
}

void write_threads(Writer & out, const Threads & threads)
{
  out.comment(3, threads.source.comment);
  out.line(3, threads.name, flow(pairs_of(threads)));
}

void write_callback(Writer & out, const CallbackRule & rule)
{
  out.comment(3, rule.source.comment);
  out.item();
  out.line(4, "match", scalar_or_list(rule.match));
  if (!rule.threads.empty()) {
    out.line(4, "threads", scalar_or_list(rule.threads));
  }
  if (rule.priority) {
    out.line(4, "priority", std::to_string(*rule.priority));
  }
  if (rule.deadline) {
    out.line(4, "deadline", print_duration(*rule.deadline));
  }
  if (rule.missed_periods) {
    out.line(4, "missed_periods", to_string(*rule.missed_periods));
  }
  if (rule.offset) {
    out.line(4, "offset", print_duration(*rule.offset));
  }
  if (rule.publishes_last) {
    out.line(4, "publishes_last", "true");
  }
  if (rule.never_settles) {
    out.line(4, "settles", "never");
  }
  if (rule.non_triggering) {
    const NonTriggeringRule & taken = *rule.non_triggering;
    out.line(4, "trigger", "false");
    if (!taken.with.empty()) {
      out.line(4, "with", scalar_or_list(taken.with));
    }
    if (taken.keep != 0) {
      out.line(4, "keep", taken.keep == 1 ? "latest" : std::to_string(taken.keep));
    }
    if (taken.max_age) {
      out.line(4, "max_age", print_duration(*taken.max_age));
    }
  }
  for (const auto & [key, value] : detail::pairs_of_watch(rule)) {
    out.line(4, key, value);
  }
}

std::string text_of(const ConditionRule & when)
{
  Pairs pairs;
  if (when.count > 1) {
    pairs.emplace_back("count", std::to_string(when.count));
  }
  if (when.fresh) {
    pairs.emplace_back("fresh", print_duration(*when.fresh));
  }
  if (when.spread) {
    pairs.emplace_back("spread", print_duration(*when.spread));
  }
  if (when.count == 0 && when.fresh) {
    pairs.emplace(pairs.begin(), "count", "all");
  } else if (pairs.empty()) {
    return when.count == 0 ? "all" : "any";
  }
  return flow(pairs);
}

std::string text_of(const EpochSchedule & epoch)
{
  if (epoch.from != Epoch::tai) {
    return std::string(to_string(epoch.from));
  }
  Pairs pairs{{"clock", std::string(to_string(epoch.from))}};
  if (epoch.uncertainty != takt_rt::Duration{}) {
    pairs.emplace_back("uncertainty", print_duration(epoch.uncertainty));
  }
  return flow(pairs);
}

/// `epoch`: the file's.
void write_options(Writer & out, const ExecutorSchedule & executor, const EpochSchedule & epoch)
{
  out.line(2, "order", to_string(executor.order));
  const ExecutorSchedule defaults;
  if (executor.window_timers != defaults.window_timers) {
    out.line(2, "window_timers", to_string(executor.window_timers));
  }
  if (executor.epoch != epoch) {
    out.line(2, "epoch", text_of(executor.epoch));
  }
  if (executor.on_exception != defaults.on_exception) {
    out.line(2, "on_exception", to_string(executor.on_exception));
  }
  if (executor.missing_rights != defaults.missing_rights) {
    out.line(2, "missing_rights", to_string(executor.missing_rights));
  }
  if (executor.middleware_ceiling.mode != defaults.middleware_ceiling.mode) {
    out.line(2, "middleware_ceiling", to_string(executor.middleware_ceiling));
  }
  if (executor.lock_memory) {
    out.line(2, "lock_memory", "true");
  }
  if (executor.parallel) {
    out.line(2, "parallel", "true");
  }
}

/// The epoch that all executors share, else the default.
EpochSchedule epoch_of(const Schedule & schedule)
{
  const EpochSchedule first =
    schedule.executors.empty() ? EpochSchedule() : schedule.executors.front().epoch;
  const bool same = std::all_of(
    schedule.executors.begin(), schedule.executors.end(),
    [&](const ExecutorSchedule & executor) { return executor.epoch == first; });
  return same ? first : EpochSchedule();
}

/// True if the schedule gives a timer an offset.
bool has_offsets(const Schedule & schedule)
{
  return std::ranges::any_of(schedule.executors, [](const ExecutorSchedule & executor) {
    return std::ranges::any_of(
      executor.callbacks, [](const CallbackRule & rule) { return rule.offset.has_value(); });
  });
}

std::optional<takt_rt::Duration> settling_time(const Schedule & schedule)
{
  return schedule.executors.empty() ? std::nullopt : schedule.executors.front().settles;
}

void write_executor(Writer & out, const ExecutorSchedule & executor, const EpochSchedule & epoch)
{
  out.comment(1, executor.source.comment);
  out.line(1, executor.name, {});
  write_options(out, executor, epoch);
  out.line(2, "threads", {});
  for (const Threads & threads : executor.threads) {
    write_threads(out, threads);
  }
  out.line(
    2, "default", scalar_or_list(executor.default_threads), "for callbacks that no rule matches");
  if (!executor.callbacks.empty()) {
    out.line(2, "callbacks", {});
  }
  for (const CallbackRule & rule : executor.callbacks) {
    write_callback(out, rule);
  }
  if (!executor.groups.empty()) {
    out.line(2, "groups", {});
  }
  for (const GroupRule & rule : executor.groups) {
    out.comment(3, rule.source.comment);
    out.item();
    out.line(4, "match", scalar_or_list(rule.match));
    if (rule.when) {
      out.line(4, "when", text_of(*rule.when));
    }
    if (rule.logical_time) {
      out.line(
        4, "let", *rule.logical_time == takt_core::LateOutputs::publish ? "true" : "{late: drop}");
    }
    if (rule.across_priorities || (!rule.isolate && !rule.when && !rule.logical_time)) {
      out.line(4, "across_priorities", rule.across_priorities ? "allow" : "forbid");
    }
    if (rule.isolate) {
      out.line(4, "isolate", "true");
      for (const auto & [key, value] : pairs_of(*rule.isolate)) {
        out.line(4, key, value);
      }
    }
  }
  if (!executor.sequences.empty()) {
    out.line(2, "sequences", {});
  }
  for (const SequenceRule & sequence : executor.sequences) {
    out.comment(3, sequence.source.comment);
    const std::string path = scalar_or_list(sequence.path);
    out.entry(3, sequence.graph ? "{graph: " + path + "}" : path);
  }
  if (!executor.process_threads.empty()) {
    out.line(2, "process_threads", {});
  }
  for (const ProcessThreadRule & rule : executor.process_threads) {
    out.comment(3, rule.source.comment);
    out.item();
    out.line(4, "match", scalar_or_list(rule.match));
    Pairs pairs;
    add_attributes(rule.attributes, pairs);
    for (const auto & [key, value] : pairs) {
      out.line(4, key, value);
    }
  }
}

void write_topic(Writer & out, const TopicRule & rule)
{
  out.comment(1, rule.source.comment);
  out.item();
  out.line(2, "match", scalar_or_list(rule.match));
  out.line(2, "transport", to_string(rule.transport));
  if (rule.copy_period != takt_rt::Duration{}) {
    out.line(2, "copy_period", print_duration(rule.copy_period));
  }
}

}  // namespace

std::string to_yaml(const Schedule & schedule, std::string_view header)
{
  Writer out;
  out.comment(0, header);
  out.comment(
    0,
    "A takt schedule; takt check FILE checks it (--core-count N: for a machine that has so many).");
  out.line(0, "version", std::to_string(kVersion));
  if (!schedule.system.empty()) {
    out.line(0, "system", scalar(schedule.system), "the model it was made for");
  }
  if (schedule.strict) {
    out.line(0, "strict", "true", "a pattern that matches nothing is an error");
  }
  const EpochSchedule epoch = epoch_of(schedule);
  if (epoch.from != Epoch::start) {
    out.line(
      0, "epoch", text_of(epoch),
      !has_offsets(schedule)      ? ""
      : epoch.from == Epoch::host ? "offsets count on the host's clock: they hold between processes"
                                  : "offsets count on the clock of all hosts");
  }
  if (const auto settles = settling_time(schedule)) {
    out.line(
      0, "settles", print_duration(*settles),
      "so long after a skipped period or a lost message bounds hold again");
  }
  out.blank();
  out.line(0, "executors", {});
  for (const ExecutorSchedule & executor : schedule.executors) {
    write_executor(out, executor, epoch);
  }
  if (!schedule.chains.empty()) {
    out.blank();
    out.line(0, "chains", {});
  }
  for (const ChainSchedule & chain : schedule.chains) {
    detail::write_chain(out, chain);
  }
  if (!schedule.topics.empty()) {
    out.blank();
    out.line(0, "topics", {});
  }
  for (const TopicRule & rule : schedule.topics) {
    write_topic(out, rule);
  }
  if (const Pairs watch = detail::pairs_of(schedule.watch); !watch.empty()) {
    out.blank();
    out.line(0, "watch", {});
    for (const auto & [key, value] : watch) {
      out.line(1, key, value);
    }
  }
  return out.take();
}

}  // namespace takt_schedule
