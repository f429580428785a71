#include "model/described_callback.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "takt_core/time.hpp"

namespace takt_trace
{
namespace
{

using takt_core::Duration;

// Entries of a histogram in the file: what a reader can take in.
constexpr std::size_t kMostBars = 8;

// Of a history that keeps all messages. A model has no such thing, and a simulation reserves the depth.
constexpr std::uint32_t kKeepsAll = 1000;
constexpr std::int64_t kDeepest = 1'000'000;  // that a model takes

// Messages for each run from which on a model with one for each run has too little load: a callback that
// now and then repeats a message is none.
constexpr double kOneMessage = 1.05;

// The last bar is the worst time; earlier ones are joined to their upper edges.
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

std::string milliseconds(double ns)
{
  return fmt::format("{:.3f} ms", ns / 1e6);
}

Duration of_seconds(double seconds)
{
  return Duration{static_cast<std::int64_t>(std::max(seconds, 1e-3) * 1e9)};
}

// The least that covers all that was seen: in a time t there are at most (t + jitter) / period releases,
// rounded up, so k of them after a first take k * period - jitter or longer.
Duration jitter_of(const ObservedCallback & one, Duration period)
{
  Duration jitter{};
  for (const auto & [steps, span] : one.shortest_spans) {
    jitter = std::max(jitter, static_cast<std::int64_t>(steps) * period - Duration{span});
  }
  return jitter;
}

std::string listed_steps(const ObservedCallback & one)
{
  std::string text;
  for (const auto & [steps, span] : one.shortest_spans) {
    text += (text.empty() ? "" : ", ") + std::to_string(steps);
  }
  return text;
}

// Of a callback that no observed callback starts: sets period and jitter, and gives what they rest on.
std::string set_releases(ObservedCallback & one, double seconds)
{
  auto & model = one.model;
  const char * const events = model.is_timer() ? "releases" : "messages";
  std::string text =
    one.within_process ? "its trigger is unknown: its messages come from within its process, and "
                         "takt did not see which callback publishes them; "
    : model.is_timer() ? "the program gives the timer no period, so it runs as often as it can; "
                       : "its messages come from outside; ";
  if (one.distances >= 2) {
    const bool all_at_once = one.mean_distance < 1;
    model.period = all_at_once ? of_seconds(seconds / static_cast<double>(one.runs))
                               : Duration{static_cast<std::int64_t>(one.mean_distance)};
    model.jitter = jitter_of(one, *model.period);
    text += all_at_once
              ? fmt::format(
                  "{} came at once and no others, so how often they come is unknown; period: the "
                  "time of the observation by their number",
                  one.runs)
              : fmt::format("period: the mean distance of {} {}", one.runs, events);
    return text + fmt::format(
                    "; jitter covers the shortest times within which {} further {} came",
                    listed_steps(one), events);
  }
  const auto span = one.shortest_spans.find(1);
  const bool two = span != one.shortest_spans.end() && span->second > 0;
  model.period = two ? Duration{span->second} : of_seconds(seconds);
  return text + fmt::format(
                  "{} came, so how often they come is unknown; period: the time {}", one.runs,
                  two ? "between two" : "of the observation");
}

// A timer that the program stopped, or made later, is periodic in the model all the same.
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
  note_messages(one, whole.taken, notes);
  if (one.processes.size() > 1) {
    notes.push_back(fmt::format(
      "{} processes have a callback {}, and the model joins them as if they were one: give their "
      "nodes different names",
      one.processes.size(), one.model.id));
    one.caveats += fmt::format("; joined from {} processes", one.processes.size());
  }
  std::string origin =
    fmt::format("measured over {} runs: CPU mean {}", one.runs, milliseconds(one.mean));
  if (one.model.is_timer() && one.model.period) {
    origin += "; period as the program declares it" + missing_runs(one);
  } else if (one.topic.empty() || !whole.inside.contains(one.topic)) {
    origin += "; " + set_releases(one, whole.seconds);
  } else {
    one.model.triggers = {one.topic};
  }
  set_histogram(one);
  if (one.message_bytes > 0) {
    origin += fmt::format("; messages of up to {} bytes", one.message_bytes);
  }
  one.model.source.comment = origin + one.caveats;
}

}  // namespace takt_trace
