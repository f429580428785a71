#include "model/described_callback.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/observed_phases.hpp"
#include "model/publishing_last.hpp"
#include "takt_rt/readable.hpp"
#include "takt_rt/time.hpp"

namespace takt_trace
{
namespace
{

using takt_rt::Duration;
using takt_rt::human;

// Number of bars of a histogram in the file, so that it stays readable.
constexpr std::size_t kMostBars = 8;

// Depth for an unbounded history: a model needs a number, and a simulation reserves the depth.
constexpr std::uint32_t kKeepsAll = 1000;
constexpr std::int64_t kDeepest = 1'000'000;  // largest depth in a model

// With more messages per run than this, a model with one message per run has too little load. A
// callback that sometimes repeats a message has fewer.
constexpr double kOneMessage = 1.05;

// Limit of jitter: ten years.
constexpr Duration kLongest = std::chrono::hours(24 * 365 * 10);

// Further runs of a callback that others wait for: the first ones, and those after an abandoned
// wait. So few runs say nothing about its rate.
constexpr std::uint64_t kOtherStarts = 2;

// The last bar is the worst time; lower bars are joined to their upper edges.
void set_histogram(ObservedCallback & one)
{
  const auto & buckets = one.histogram;
  auto & time = one.model.time;
  if (buckets.size() < 2) {
    return;
  }
  const std::size_t step = (buckets.size() + kMostBars - 1) / kMostBars;
  std::uint64_t count = 0;
  std::size_t i = 0;
  for (const auto & [upper, times] : buckets) {
    count += times;
    if (++i % step == 0 || i == buckets.size()) {
      const Duration edge = std::min(Duration{upper}, time.worst);
      if (!time.histogram.empty() && time.histogram.back().first == edge) {
        time.histogram.back().second += count;
      } else {
        time.histogram.emplace_back(edge, count);
      }
      count = 0;
    }
  }
  time.histogram.back().first = time.worst;
}

Duration of_seconds(double seconds)
{
  return Duration{static_cast<std::int64_t>(std::max(seconds, 1e-3) * 1e9)};
}

using Spans = std::map<std::uint64_t, std::int64_t>;

// The smallest jitter that covers all observed spans. In a time t there are at most (t + jitter) /
// period releases, rounded up, so k releases after a first one take at least k * period - jitter.
Duration jitter_of(const Spans & spans, Duration period)
{
  std::int64_t jitter = 0;
  for (const auto & [steps, span] : spans) {
    std::int64_t all = 0;
    std::int64_t more = 0;
    if (
      __builtin_mul_overflow(static_cast<std::int64_t>(steps), period.count(), &all) ||
      __builtin_sub_overflow(all, span, &more)) {
      more = kLongest.count();
    }
    jitter = std::clamp(more, jitter, kLongest.count());
  }
  return Duration{jitter};
}

std::string listed_steps(const Spans & spans)
{
  std::string text;
  for (const auto & [steps, span] : spans) {
    text += (text.empty() ? "" : ", ") + std::to_string(steps);
  }
  return text;
}

// Some middlewares announce one message twice; spans between such announcements are useless.
bool arrivals_are_right(const ObservedCallback & one)
{
  return !one.arrival_spans.empty() &&
         static_cast<double>(one.arrivals) <=
           kOneMessage * static_cast<double>(one.runs + one.missed) + 2;
}

// For a callback that no observed callback starts: sets period and jitter, and returns the reason
// for these values.
std::string set_releases(ObservedCallback & one, double seconds)
{
  auto & model = one.model;
  const char * const events = model.is_timer() ? "releases" : "messages";
  std::string text =
    one.within_process ? "its trigger is unknown: its messages come from within its process, and "
                         "takt did not see which callback publishes them; "
    : model.is_timer() ? "the program gives the timer no period, so it runs as often as it can; "
                       : "its messages come from outside; ";
  // Lost messages came between the taken ones.
  const std::uint64_t came = one.runs + one.missed;
  const std::uint64_t distances = one.distances + (one.distances > 0 ? one.missed : 0);
  if (distances >= 2) {
    const double mean =
      one.mean_distance * static_cast<double>(one.distances) / static_cast<double>(distances);
    const bool all_at_once = mean < 1;
    model.period = all_at_once ? of_seconds(seconds / static_cast<double>(came))
                               : Duration{static_cast<std::int64_t>(mean)};
    const bool all_seen = one.missed == 0 || arrivals_are_right(one);
    const Spans & spans = one.missed > 0 && all_seen ? one.arrival_spans : one.shortest_spans;
    model.jitter = jitter_of(spans, *model.period);
    text += all_at_once
              ? fmt::format(
                  "{} came at once and no others, so how often they come is unknown; period: the "
                  "time of the observation by their number",
                  came)
              : fmt::format("period: the mean distance of {} {}", came, events);
    return text + fmt::format(
                    "; jitter covers the shortest times within which {} further {} {}",
                    listed_steps(spans), events,
                    all_seen ? "came" : "were taken; when the lost ones came is unknown");
  }
  if (one.missed > 0) {
    model.period = of_seconds(seconds / static_cast<double>(came));
    return text + fmt::format("period: the time of the observation by the {} that came", came);
  }
  const auto span = one.shortest_spans.find(1);
  const bool two = span != one.shortest_spans.end() && span->second > 0;
  model.period = two ? Duration{span->second} : of_seconds(seconds);
  return text + fmt::format(
                  "{} came, so how often they come is unknown; period: the time {}", one.runs,
                  two ? "between two" : "of the observation");
}

// A timer that the program stopped, or made later, is still periodic in the model.
std::string missing_runs(const ObservedCallback & one)
{
  const double period = static_cast<double>(one.model.period->count()) / 1e9;
  if (static_cast<double>(one.runs) * period * 2 >= one.seconds) {
    return {};
  }
  return fmt::format(
    "; ran {} {} in {:.1f} s: the timer was stopped, or periods were skipped ({})", one.runs,
    one.runs == 1 ? "time" : "times", one.seconds, one.skipped);
}

void set_depth(ObservedCallback & one)
{
  one.model.depth_known = one.depth != 0;
  if (one.depth > 0) {
    one.model.depth = static_cast<std::uint32_t>(std::min(one.depth, kDeepest));
  } else if (one.depth < 0) {
    one.model.depth = kKeepsAll;
    one.caveats +=
      fmt::format("; its history keeps all messages, depth {} stands for that", kKeepsAll);
  } else if (!one.topic.empty()) {
    one.caveats +=
      fmt::format("; the depth of its history is unknown, taken to be {}", one.model.depth);
  }
}

// An overloaded callback runs less often than its messages come.
void note_lost(ObservedCallback & one, std::vector<std::string> & notes)
{
  if (one.missed == 0) {
    return;
  }
  const std::uint64_t came = one.runs + one.missed;
  one.caveats += fmt::format("; LOST {} of {} messages before it took them", one.missed, came);
  notes.push_back(fmt::format(
    "{} lost {} of {} messages before it took them; the model has the load of all of them",
    one.model.id, one.missed, came));
}

// A sleep takes no CPU time, but occupies the callback's thread.
void note_sleep(ObservedCallback & one, std::vector<std::string> & notes)
{
  if (one.model.sleep == Duration::zero() || !one.waits.empty()) {
    return;
  }
  const std::string time = human(one.model.sleep);
  one.caveats +=
    one.sleep_measured
      ? fmt::format("; slept, or waited for a lock or a device, up to {} in a run", time)
      : fmt::format(
          "; each run took longer than its CPU time, by up to {}: it sleeps, or waits "
          "for a lock or a device, and the wait for a core is in the figure",
          time);
  notes.push_back(fmt::format(
    "{} sleeps or waits within its runs, up to {}; the model has that as sleep: it holds the "
    "thread and no core{}",
    one.model.id, time,
    one.sleep_measured ? ""
                       : "; the wait for a core is in the figure, and `takt trace record --kernel` "
                         "leaves it out"));
}

// In the model each run publishes one message on each topic.
void note_messages(
  ObservedCallback & one, const std::set<std::string> & taken, std::vector<std::string> & notes)
{
  for (const auto & [topic, count] : one.published) {
    const double each = static_cast<double>(count) / static_cast<double>(one.runs);
    if (each <= kOneMessage) {
      if (count != one.runs) {
        one.caveats += fmt::format("; {} messages on {}", count, topic);
      }
      continue;
    }
    const std::string text =
      fmt::format("{:.1f} messages on {} for each run, and the model has one: ", each, topic);
    one.caveats += "; PUBLISHES " + text + "callbacks that take them have more load than here";
    if (taken.contains(topic)) {
      notes.push_back(
        one.model.id + " publishes " + text +
        "callbacks that take them have more load than in the model, so their bounds are too low");
    }
  }
}

}  // namespace

void describe(ObservedCallback & one, const Whole & whole, std::vector<std::string> & notes)
{
  set_depth(one);
  note_lost(one, notes);
  note_sleep(one, notes);
  note_messages(one, whole.taken, notes);
  if (one.processes.size() > 1) {
    notes.push_back(fmt::format(
      "{} processes have a callback {}, and the model joins them as if they were one: give their "
      "nodes different names",
      one.processes.size(), one.model.id));
    one.caveats += fmt::format("; joined from {} processes", one.processes.size());
  }
  std::string origin = fmt::format("measured over {} runs: CPU mean {}", one.runs, human(one.mean));
  if (one.model.is_timer() && one.model.period) {
    origin += "; period as the program declares it" + missing_runs(one);
  } else if (one.awaited > 0 && one.awaited + kOtherStarts >= one.runs) {
    origin += fmt::format(
      "; callbacks that wait for it start it: {} of its runs ended while another one waited",
      one.awaited);
  } else if (one.topic.empty() || !whole.inside.contains(one.topic)) {
    origin += "; " + set_releases(one, whole.seconds) + phase_of_messages(one);
  } else {
    one.model.triggers = {one.topic};
  }
  set_histogram(one);
  if (publishes_last(one)) {
    one.model.publishes_last = true;
    origin +=
      fmt::format("; published last in {} of {} runs", one.published_last, one.publishing_runs);
  }
  if (one.message_bytes > 0) {
    origin += fmt::format("; messages of up to {} bytes", one.message_bytes);
  }
  one.model.source.comment = origin + one.caveats;
}

}  // namespace takt_trace
