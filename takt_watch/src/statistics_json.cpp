#include "statistics_json.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "kernel/kernel_figures.hpp"
#include "takt_control/phase_state_json.hpp"
#include "takt_rt/attributes.hpp"
#include "takt_rt/json_values.hpp"
#include "takt_rt/kernel_accounts.hpp"
#include "takt_rt/percentile.hpp"

namespace takt_watch
{
namespace
{

using nlohmann::json;
using takt_core::ThreadState;
using takt_rt::Duration;
using takt_rt::or_null;
using takt_rt::ThreadAttributes;
using takt_rt::Time;
using Accounts = std::map<pid_t, takt_rt::ThreadAccount>;

using Deadlines = std::map<std::string, std::optional<Duration>>;  // by callback id

// The depth of the history; absent: the history is unbounded.
std::optional<std::uint32_t> depth_of(const CallbackSample & sample)
{
  return sample.depth == takt_core::MessageCounts::kKeepsAll ? std::nullopt
                                                             : std::optional(sample.depth);
}

json distribution_json(const takt_core::Distribution & distribution)
{
  const auto & moments = distribution.moments;
  const std::uint64_t count = moments.count();
  const auto known = [&](const auto & value) { return count > 0 ? json(value()) : json(nullptr); };
  const auto & histogram = distribution.histogram;
  return {
    {"count", count},
    {"min_ns", known([&] { return histogram.min(); })},
    {"mean_ns", known([&] { return moments.mean(); })},
    {"stddev_ns", known([&] { return moments.standard_deviation(); })},
    {"p50_ns", or_null<json>(takt_rt::supported_quantile(histogram, 0.5))},
    {"p99_ns", or_null<json>(takt_rt::supported_quantile(histogram, 0.99))},
    {"max_ns", known([&] { return histogram.max(); })}};
}

// True if the thread's attributes differ from the requested ones. Ignores the differences of a
// temporary raise (middleware ceiling, following).
bool asked_differs(
  const ThreadState & thread, const ThreadAttributes & now, const takt_core::Executor & executor)
{
  const ThreadAttributes & asked = thread.attributes.asked;
  const auto & options = executor.options().threads;
  const bool follows = thread.number < options.size() && options[thread.number].follow;
  const int ceiling = executor.middleware_ceiling();
  const bool raised =
    ceiling != 0 && now.policy == takt_rt::Policy::fifo && now.priority == ceiling;
  const bool policy_differs = asked.policy != takt_rt::Policy::inherit && !follows && !raised &&
                              (asked.policy != now.policy || asked.priority != now.priority);
  const bool nice_differs = asked.nice && now.nice && *asked.nice != *now.nice && !raised;
  return policy_differs || nice_differs || (!asked.cores.empty() && asked.cores != now.cores);
}

json thread_json(const ThreadState & thread, const Accounts & accounts, const ExecutorWatch & watch)
{
  const bool there = thread.tid != 0;
  const ThreadAttributes now =
    there ? takt_rt::read_attributes(thread.tid) : thread.attributes.asked;
  const auto running = there ? watch.running(thread.number) : std::nullopt;
  json result{
    {"number", thread.number},
    {"name", thread.attributes.asked.name},
    {"tid", thread.tid},
    {"policy", to_string(now.policy)},
    {"priority", now.priority},
    {"nice", now.nice.value_or(0)},
    {"cores", now.cores},
    {"asked_differs", there && asked_differs(thread, now, *watch.watched().executor)},
    {"running", nullptr}};
  if (running) {
    result["running"] = {{"callback", running->id}, {"since_ns", takt_rt::to_ns(running->since)}};
  }
  const auto known = accounts.find(thread.tid);
  const takt_rt::ThreadCounters counters =
    known == accounts.end() ? takt_rt::ThreadCounters() : known->second.counters;
  result["on_cpu_ns"] = counters.cpu_time.count();
  result["run_queue_delay_ns"] = counters.queue_wait.count();
  result["voluntary_switches"] = counters.voluntary_switches;
  result["involuntary_switches"] = counters.involuntary_switches;
  result["minor_faults"] = counters.minor_faults;
  result["major_faults"] = counters.major_faults;
  result["migrations"] = or_null<json>(there ? migrations_of(thread.tid) : std::nullopt);
  return result;
}

json thread_names(const std::vector<std::uint32_t> & numbers, const std::vector<ThreadState> & all)
{
  json names = json::array();
  for (const ThreadState & thread : all) {
    if (std::count(numbers.begin(), numbers.end(), thread.number) != 0) {
      names.push_back(thread.attributes.asked.name);
    }
  }
  return names;
}

json callback_json(
  const CallbackFigures & figures, const std::optional<Duration> & deadline,
  const takt_core::CallbackStatistics * statistics, const std::vector<ThreadState> & threads)
{
  const CallbackSample & sample = figures.sample;
  json result{
    {"id", sample.id},
    {"kind", to_string(sample.kind)},
    {"group", sample.group},
    {"threads", thread_names(sample.threads, threads)},
    {"chains", figures.chains},
    {"priority", figures.priority},
    {"effective_priority", figures.effective_priority},
    {"depth", or_null<json>(depth_of(sample))},
    {"waiting", sample.waiting},
    {"largest_waiting", figures.most_waiting},
    {"oldest_age_ns", or_null<json>(sample.oldest_age)},
    {"arrivals", sample.arrivals},
    {"starts", sample.starts},
    {"empty_takes", sample.empty_takes},
    {"overwritten", sample.overwritten},
    {"lost", or_null<json>(sample.lost)},
    {"skipped_periods", sample.skipped},
    {"exceptions", figures.exceptions},
    {"arrival_rate_hz", or_null<json>(figures.arrival_rate)},
    {"service_rate_hz", or_null<json>(figures.service_rate)},
    {"deadline_ns", or_null<json>(deadline)},
    {"misses", sample.misses},
    {"consecutive_misses", figures.consecutive_misses},
    {"largest_consecutive_misses", figures.most_consecutive_misses},
    {"misses_in_window", {sample.window.missed, sample.window.of}},
    {"budget_ns", or_null<json>(sample.rule.budget)},
    {"overruns", sample.overruns}};
  const takt_core::Distribution none;
  const bool known = statistics != nullptr;
  result["response"] = distribution_json(known ? statistics->response : none);
  result["execution"] = distribution_json(known ? statistics->execution : none);
  result["start_delay"] = distribution_json(known ? statistics->start_delay : none);
  return result;
}

json chain_json(const ChainFigures & figures)
{
  const ChainSample & sample = figures.sample;
  const takt_core::Distribution none;
  return {
    {"name", sample.name},
    {"path", figures.path},
    {"from_arrival", sample.from_arrival},
    {"priority", figures.priority},
    {"deadline_ns", or_null<json>(sample.deadline)},
    {"activations", sample.activations},
    {"misses", sample.misses},
    {"overdue", sample.overdue},
    {"consecutive_misses", figures.consecutive_misses},
    {"largest_consecutive_misses", figures.most_consecutive_misses},
    {"misses_in_window", {sample.window.missed, sample.window.of}},
    {"response", distribution_json(figures.responses != nullptr ? *figures.responses : none)}};
}

// The deadlines of the executor's callbacks. Call it before the watch's mutex is locked, because
// set-up hooks lock that mutex with the executor's locks held.
Deadlines deadlines_of(takt_core::Executor & executor)
{
  Deadlines all;
  for (const auto & callback : executor.callbacks()) {
    if (const auto binding = executor.scheduler_of(*callback).binding(*callback); binding.ok()) {
      all[callback->id()] = binding->deadline;
    }
  }
  return all;
}

json executor_json(ExecutorWatch & watch, const Accounts & accounts, Time now)
{
  takt_core::Executor & executor = *watch.watched().executor;
  const std::vector<ThreadState> threads = executor.threads();
  Deadlines deadlines = deadlines_of(executor);
  json result{
    {"name", watch.watched().name},
    {"spinning", executor.running()},
    {"phases", takt_control::phase_state_json<json>(executor.phases(), now)},
    {"threads", json::array()},
    {"callbacks", json::array()},
    {"chains", json::array()}};
  for (const ThreadState & thread : threads) {
    result["threads"].push_back(thread_json(thread, accounts, watch));
  }
  std::vector<std::unique_ptr<takt_core::CallbackStatistics>> callbacks;
  // Copy the distributions before the counts. So a distribution has at most as many values as there
  // were runs.
  if (const auto * const statistics = watch.statistics()) {
    callbacks = statistics->callbacks();
  }
  for (const CallbackFigures & figures : watch.callbacks(now)) {
    const auto found = std::find_if(callbacks.begin(), callbacks.end(), [&](const auto & one) {
      return one->id == figures.sample.id;
    });
    result["callbacks"].push_back(callback_json(
      figures, deadlines[figures.sample.id], found == callbacks.end() ? nullptr : found->get(),
      threads));
  }
  for (const ChainFigures & figures : watch.chains()) {
    result["chains"].push_back(chain_json(figures));
  }
  return result;
}

json active_json(const std::vector<AlarmHistory::Active> & alarms, const ProcessFacts & facts)
{
  json all = json::array();
  for (const AlarmHistory::Active & one : alarms) {
    const std::int64_t since = takt_rt::to_ns(one.since);
    all.push_back(
      {{"kind", to_string(one.kind)},
       {"executor", one.executor},
       {"subject", one.subject},
       {"since_ns", since},
       {"since_realtime_ns", since + facts.to_realtime}});
  }
  return all;
}

}  // namespace

std::string statistics_json(
  const ProcessStatistics & process, const std::vector<std::shared_ptr<ExecutorWatch>> & executors)
{
  const ProcessFacts facts = process_facts();
  const Time now = takt_rt::now();
  Accounts accounts;
  for (takt_rt::ThreadAccount & account : takt_rt::read_accounts()) {
    const pid_t tid = account.tid;
    accounts.emplace(tid, std::move(account));
  }
  std::string rmw;
  json unknown = json::array();
  json all = json::array();
  for (const auto & executor : executors) {
    rmw = rmw.empty() ? executor->watched().rmw : rmw;
    for (const std::string & one : executor->watched().unknown) {
      if (std::count(unknown.begin(), unknown.end(), json(one)) == 0) {
        unknown.push_back(one);
      }
    }
    all.push_back(executor_json(*executor, accounts, now));
  }
  const json result{
    {"schema", 1},
    {"pid", facts.pid},
    {"program", facts.program},
    {"host", facts.host},
    {"time_ns", takt_rt::to_ns(now)},
    {"realtime_ns", takt_rt::to_ns(now) + facts.to_realtime},
    {"since_ns", takt_rt::to_ns(process.since)},
    {"rmw", rmw},
    {"unknown", std::move(unknown)},
    {"executors", std::move(all)},
    {"alarms",
     {{"raised", process.alarms.raised},
      {"cleared", process.alarms.cleared},
      {"active", process.alarms.active},
      {"active_list", active_json(process.active, facts)}}}};
  return result.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace takt_watch
