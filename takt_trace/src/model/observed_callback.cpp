#include "model/observed_callback.hpp"

#include "callback_ids.hpp"
#include "saturating.hpp"
#include "takt_trace/executor_name.hpp"
#include "takt_trace/phase_json.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace takt_trace
{
namespace
{

using nlohmann::ordered_json;
using takt_rt::Duration;

// A message within the process starts the function of the same subscription.
std::string model_id(const ordered_json & callback)
{
  const std::string id = callback["id"];
  const std::string topic = callback["topic"];
  const bool waitable = takt_core::adapter::kind_word(id) == "waitable";
  return waitable && !topic.empty() ? takt_core::adapter::with_kind(id, "sub") : id;
}

// Never zero, because a model accepts no callback without cost.
Duration nanoseconds(const ordered_json & value)
{
  return Duration{std::max<std::int64_t>(value.get<std::int64_t>(), 1)};
}

// An older report has none.
std::map<std::uint64_t, std::int64_t> spans_of(const ordered_json & callback, std::uint64_t runs)
{
  std::map<std::uint64_t, std::int64_t> spans;
  if (const auto found = callback.find("shortest_spans"); found != callback.end()) {
    for (const auto & span : *found) {
      spans.emplace(span[0].get<std::uint64_t>(), span[1].get<std::int64_t>());
    }
  }
  if (runs > 1) {
    spans.emplace(1, callback["between_releases"]["min_ns"].get<std::int64_t>());
  }
  return spans;
}

// An older report has none, and a trace has no arrivals.
void read_arrivals(const ordered_json & callback, ObservedCallback & one)
{
  one.arrivals = callback.value("arrivals", std::uint64_t{0});
  if (const auto found = callback.find("arrival_spans"); found != callback.end()) {
    for (const auto & span : *found) {
      one.arrival_spans.emplace(span[0].get<std::uint64_t>(), span[1].get<std::int64_t>());
    }
  }
  if (const auto found = callback.find("waits_for"); found != callback.end()) {
    for (const auto & wait : *found) {
      one.waits.push_back(
        {wait["service"], wait["client"], wait["count"], wait["most"], wait["longest_ns"]});
    }
  }
}

// Shorter waits are those for locks of the middleware and similar ones; time alone does not
// distinguish them from preemption.
constexpr std::int64_t kLeastSleep = 1'000'000;

// Reads sleeps. A callback that waits for others has its waits in `waits_for`, and no other sleep.
// Without the kernel's figures a run that took longer than its CPU time may have slept or been
// preempted; if every run did, they slept. CPU times include the take, which other times may not.
void read_sleep(const ordered_json & callback, ObservedCallback & one)
{
  if (!one.waits.empty()) {
    return;
  }
  if (const auto found = callback.find("longest_sleep_ns"); found != callback.end()) {
    one.sleep_measured = true;
    const auto longest = found->get<std::int64_t>();
    one.model.sleep = Duration{longest >= kLeastSleep ? longest : 0};
    return;
  }
  // A trace has each run. In sums a run with much work may hide that all runs sleep.
  if (const auto least = callback.find("least_beside_cpu_ns"); least != callback.end()) {
    const std::int64_t longest = callback.at("most_beside_cpu_ns").get<std::int64_t>();
    one.model.sleep = Duration{least->get<std::int64_t>() >= kLeastSleep ? longest : 0};
    return;
  }
  const auto elapsed = callback.find("elapsed");
  if (elapsed == callback.end()) {
    return;
  }
  const std::int64_t shortest = elapsed->at("min_ns").get<std::int64_t>();
  const std::int64_t longest = elapsed->at("max_ns").get<std::int64_t>();
  if (shortest >= detail::saturating_add(one.model.time.worst.count(), kLeastSleep)) {
    one.model.sleep = Duration{detail::saturating_subtract(longest, one.model.time.best.count())};
  }
}

ObservedCallback read(const ordered_json & callback, bool under_takt)
{
  ObservedCallback one;
  one.under_takt = under_takt;
  one.model.id = model_id(callback);
  one.model.group = callback["group"];
  one.topic = callback["topic"];
  one.exclusive = callback["exclusive_group"];
  one.background = callback["background"];
  one.runs = callback["runs"];
  one.skipped = callback["skipped_periods"];
  if (callback.value("kind", "") != "timer") {
    one.missed =
      callback.value("overwritten", std::uint64_t{0}) + callback.value("lost", std::uint64_t{0});
  }
  one.depth = callback.value("depth", std::int64_t{0});
  one.message_bytes = callback.value("message_bytes", std::uint64_t{0});
  if (const Duration period{callback["period_ns"].get<std::int64_t>()}; period.count() > 0) {
    one.model.period = period;
  }
  if (one.runs == 0) {
    return one;
  }
  one.within_process = callback.value("within_process", false);
  one.model.time.worst = nanoseconds(callback["cpu"]["max_ns"]);
  one.model.time.best = std::min(one.model.time.worst, nanoseconds(callback["cpu"]["min_ns"]));
  one.mean = callback["cpu"]["mean_ns"];
  one.distances = one.runs - 1;
  one.mean_distance = callback["between_releases"]["mean_ns"];
  one.shortest_spans = spans_of(callback, one.runs);
  read_arrivals(callback, one);
  one.publishing_runs = callback.value("publishing_runs", std::uint64_t{0});
  one.published_last = callback.value("published_last", std::uint64_t{0});
  read_sleep(callback, one);
  if (const auto found = callback.find("phase"); found != callback.end()) {
    one.phase = read_phase(*found);
  }
  if (const auto found = callback.find("has_offset"); found != callback.end()) {
    one.has_offset = found->get<bool>();
  }
  if (const auto found = callback.find("fit"); found != callback.end()) {
    one.fit = read_fit(*found);
  }
  for (const auto & bucket : callback["cpu_histogram"]) {
    one.histogram[bucket[0].get<std::int64_t>()] += bucket[1].get<std::uint64_t>();
  }
  for (const auto & published : callback["publishes"]) {
    const std::string topic = published["topic"];
    if (one.published.emplace(topic, 0).second) {
      one.model.publishes.push_back(topic);
    }
    one.published[topic] += published["count"].get<std::uint64_t>();
  }
  return one;
}

double weighted(double a, std::uint64_t of_a, double b, std::uint64_t of_b)
{
  const double all = static_cast<double>(of_a) + static_cast<double>(of_b);
  return all > 0 ? (a * static_cast<double>(of_a) + b * static_cast<double>(of_b)) / all : 0.0;
}

// A part with the shorter history loses messages first; an unbounded history is the deepest.
std::int64_t shallower(std::int64_t a, std::int64_t b)
{
  if (a <= 0 || b <= 0) {
    return a == b ? a : std::max(a, b);
  }
  return std::min(a, b);
}

void add_waits(std::vector<ObservedWait> & all, const std::vector<ObservedWait> & more)
{
  for (const ObservedWait & one : more) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const ObservedWait & other) {
      return other.service == one.service && other.client == one.client;
    });
    if (known == all.end()) {
      all.push_back(one);
      continue;
    }
    known->count += one.count;
    known->most = std::max(known->most, one.most);
    known->longest = std::max(known->longest, one.longest);
  }
}

// For two parts that both ran. Adds runs and messages; takes the extremes of times and spans.
void add_runs(ObservedCallback & all, const ObservedCallback & more)
{
  all.mean = weighted(all.mean, all.runs, more.mean, more.runs);
  all.mean_distance =
    weighted(all.mean_distance, all.distances, more.mean_distance, more.distances);
  all.model.time.worst = std::max(all.model.time.worst, more.model.time.worst);
  all.model.time.best = std::min(all.model.time.best, more.model.time.best);
  all.runs += more.runs;
  all.distances += more.distances;
  all.within_process = all.within_process && more.within_process;
  all.arrivals += more.arrivals;
  all.publishing_runs += more.publishing_runs;
  all.published_last += more.published_last;
  for (const auto & [steps, span] : more.arrival_spans) {
    const auto [known, fresh] = all.arrival_spans.emplace(steps, span);
    known->second = std::min(known->second, span);
  }
  add_waits(all.waits, more.waits);
  all.model.sleep = std::max(all.model.sleep, more.model.sleep);
  all.sleep_measured = all.sleep_measured && more.sleep_measured;
  all.executors.insert(more.executors.begin(), more.executors.end());
  all.processes.insert(more.processes.begin(), more.processes.end());
  for (const auto & [steps, span] : more.shortest_spans) {
    const auto [known, fresh] = all.shortest_spans.emplace(steps, span);
    known->second = std::min(known->second, span);
  }
  if (all.model.period) {
    all.phase.add(more.phase, all.model.period->count());
  }
  all.fit = all.fit.count >= more.fit.count ? all.fit : more.fit;
  for (const auto & [edge, count] : more.histogram) {
    all.histogram[edge] += count;
  }
  for (const std::string & topic : more.model.publishes) {
    const auto [known, fresh] = all.published.emplace(topic, 0);
    known->second += more.published.at(topic);
    if (fresh) {
      all.model.publishes.push_back(topic);
    }
  }
}

void merge(ObservedCallback & all, ObservedCallback more)
{
  const double seconds = all.seconds + more.seconds;
  const std::uint64_t skipped = all.skipped + more.skipped;
  const std::uint64_t missed = all.missed + more.missed;
  const std::int64_t depth = shallower(all.depth, more.depth);
  const std::uint64_t bytes = std::max(all.message_bytes, more.message_bytes);
  if (all.runs == 0) {
    all = std::move(more);
  } else if (more.runs > 0) {
    add_runs(all, more);
  }
  all.seconds = seconds;
  all.skipped = skipped;
  all.missed = missed;
  all.depth = depth;
  all.message_bytes = bytes;
}

}  // namespace

std::string node_of(const std::string & id)
{
  return std::string(detail::node_in(id));
}

Observation observation(const ordered_json & report)
{
  Observation all;
  std::map<std::pair<int, std::string>, std::size_t> executors;
  std::map<std::string, std::size_t> callbacks;
  for (const auto & part : report["executors"]) {
    const int process = part["pid"];
    const std::string first_node = part["executor"];
    const double seconds = part["seconds"];
    const auto [known, fresh] =
      executors.emplace(std::pair(process, first_node), all.executors.size());
    if (fresh) {
      const std::string kind = part["kind"];
      all.executors.push_back(
        {process, first_node, kind == "single_threaded" || kind == "events", {}, 0});
    }
    ObservedExecutor & executor = all.executors[known->second];
    executor.seconds += seconds;
    // Without a schedule the program's start determined the phases.
    const bool under_takt = part["kind"] == "traced" || part.value("schedule_executor", "") != "";
    for (const auto & callback : part["callbacks"]) {
      ObservedCallback one = read(callback, under_takt);
      one.seconds = seconds;
      if (one.runs > 0) {
        executor.ids.insert(one.model.id);
        one.executors.insert(known->second);
        one.processes.insert(process);
      }
      const auto [place, is_new] = callbacks.emplace(one.model.id, all.callbacks.size());
      if (is_new) {
        all.callbacks.push_back(std::move(one));
      } else {
        merge(all.callbacks[place->second], std::move(one));
      }
    }
  }
  return all;
}

std::vector<std::string> executor_names(const std::vector<ObservedExecutor> & executors)
{
  std::vector<std::size_t> order(executors.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto key = [&](std::size_t i) {
    return std::tie(executors[i].first_node, executors[i].ids, executors[i].process);
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  std::vector<std::string> names(executors.size());
  std::set<std::string> used;
  for (const std::size_t i : order) {
    const std::string name = takt_trace::executor_name(executors[i].first_node);
    names[i] = name;
    for (int number = 2; !used.insert(names[i]).second; ++number) {
      names[i] = name + "_" + std::to_string(number);
    }
  }
  return names;
}

}  // namespace takt_trace
