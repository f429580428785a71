#include <string>
#include <utility>
#include <vector>

#include "takt_schedule/duration.hpp"
#include "takt_schedule/to_yaml.hpp"
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
using takt_rt::Duration;

void add_time(Pairs & pairs, const char * key, Duration time)
{
  if (time != Duration{}) {
    pairs.emplace_back(key, print_duration(time));
  }
}

void add_words(Pairs & pairs, const char * key, const std::vector<std::string> & words)
{
  if (!words.empty()) {
    pairs.emplace_back(key, scalar_or_list(words));
  }
}

/// As `0.9`, without trailing zeros.
std::string share(double value)
{
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text + "0" : text;
}

std::string overheads(const Overheads & of)
{
  Pairs pairs;
  add_time(pairs, "dispatch", of.dispatch);
  add_time(pairs, "middleware", of.middleware);
  add_time(pairs, "context_switch", of.context_switch);
  return flow(pairs);
}

void write_host(Writer & out, const HostModel & host)
{
  const HostModel defaults;
  out.comment(1, host.source.comment);
  out.line(1, host.name, {});
  out.line(2, "cores", list_of(host.cores));
  if (!host.reserved.empty()) {
    out.line(2, "reserved", list_of(host.reserved));
  }
  if (host.utilization_cap != defaults.utilization_cap) {
    out.line(2, "utilization_cap", share(host.utilization_cap));
  }
  if (
    host.least_priority != defaults.least_priority ||
    host.most_priority != defaults.most_priority) {
    out.line(
      2, "priorities",
      flow(
        {{"least", std::to_string(host.least_priority)},
         {"most", std::to_string(host.most_priority)}}));
  }
  if (host.has_overheads || !(host.overheads == Overheads{})) {
    out.line(2, "overheads", overheads(host.overheads));
  }
  if (!host.other_threads.empty()) {
    out.line(2, "other_threads", {});
  }
  for (const OtherThread & thread : host.other_threads) {
    Pairs pairs;
    if (thread.priority != 0) {
      pairs.emplace_back("priority", std::to_string(thread.priority));
    }
    if (!thread.cores.empty()) {
      pairs.emplace_back("cores", list_of(thread.cores));
    }
    pairs.emplace_back("time", print_duration(thread.time));
    pairs.emplace_back("period", print_duration(thread.period));
    out.comment(3, thread.source.comment);
    out.line(3, thread.name, flow(pairs));
  }
}

std::string time_of(const ExecutionTime & time)
{
  if (time.best == time.worst && time.histogram.empty()) {
    return print_duration(time.worst);
  }
  Pairs pairs{{"worst", print_duration(time.worst)}, {"best", print_duration(time.best)}};
  Pairs histogram;
  for (const auto & [value, count] : time.histogram) {
    histogram.emplace_back(print_duration(value), std::to_string(count));
  }
  if (!histogram.empty()) {
    pairs.emplace_back("histogram", flow(histogram));
  }
  return flow(pairs);
}

void write_callback(Writer & out, const CallbackModel & callback, bool only_host)
{
  const CallbackModel defaults;
  Pairs pairs{{"id", scalar_or_list(callback.all_ids())}};
  if (callback.executor != "main") {
    pairs.emplace_back("executor", scalar(callback.executor));
  }
  if (!only_host) {
    pairs.emplace_back("host", scalar(callback.host));
  }
  if (!callback.group.empty()) {
    pairs.emplace_back("group", scalar(callback.group));
  }
  pairs.emplace_back("time", time_of(callback.time));
  if (callback.period) {
    pairs.emplace_back("period", print_duration(*callback.period));
  }
  if (callback.offset) {
    pairs.emplace_back("offset", print_duration(*callback.offset));
  }
  if (callback.any_phase) {
    pairs.emplace_back("offset", "any");
  }
  add_time(pairs, "jitter", callback.jitter);
  add_words(pairs, "triggers", callback.triggers);
  if (callback.trigger != Trigger::any) {
    pairs.emplace_back("trigger", callback.trigger == Trigger::all ? "all" : "newest");
  }
  add_words(pairs, "reads", callback.reads);
  add_words(pairs, "publishes", callback.publishes);
  if (callback.depth_known || callback.depth != defaults.depth) {
    pairs.emplace_back("depth", std::to_string(callback.depth));
  }
  if (callback.stores) {
    pairs.emplace_back("stores", "true");
  }
  if (callback.publishes_last) {
    pairs.emplace_back("publishes_last", "true");
  }
  add_words(pairs, "waits_for", callback.waits_for);
  add_time(pairs, "sleep", callback.sleep);
  if (!callback.cores.empty()) {
    pairs.emplace_back("cores", list_of(callback.cores));
  }
  out.comment(1, callback.source.comment);
  out.entry(1, flow(pairs));
}

}  // namespace

std::string to_yaml(const System & system, std::string_view header)
{
  Writer out;
  out.comment(0, header);
  out.line(0, "version", std::to_string(kVersion));
  out.blank();
  out.line(0, "hosts", {});
  for (const HostModel & host : system.hosts) {
    write_host(out, host);
  }
  if (!(system.communication == Communication{})) {
    Pairs pairs;
    add_time(pairs, "processes", system.communication.processes);
    add_time(pairs, "hosts", system.communication.hosts);
    out.line(0, "communication", flow(pairs));
  }
  if (!system.groups.empty()) {
    out.blank();
    out.line(0, "groups", {});
  }
  for (const GroupModel & group : system.groups) {
    const bool exclusive = group.kind == takt_core::GroupKind::mutually_exclusive;
    out.line(1, group.id, exclusive ? "mutually_exclusive" : "reentrant");
  }
  out.blank();
  out.line(0, "callbacks", {});
  for (const CallbackModel & callback : system.callbacks) {
    write_callback(out, callback, system.hosts.size() == 1);
  }
  if (!system.chains.empty()) {
    out.blank();
    out.line(0, "chains", {});
  }
  for (const ChainSchedule & chain : system.chains) {
    detail::write_chain(out, chain);
  }
  return out.take();
}

}  // namespace takt_schedule
