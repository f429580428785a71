#include "timeline/process_tracks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "stalls/host_stalls.hpp"
#include "states/callback_states.hpp"
#include "timeline/lanes.hpp"

namespace takt_trace::detail
{
namespace
{

/// The end of the trace: as recorded, or the last record.
std::int64_t end_of(const LongTrace & process)
{
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const LongThread & thread : process.threads) {
    for (const Record & record : thread.records) {
      last = std::max(last, record.time);
    }
  }
  return process.ended != 0 ? process.ended : last;
}

std::string description_of(const LongThread & thread)
{
  std::string text = thread.executor.empty() ? "" : "executor " + thread.executor;
  if (thread.dropped > 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(thread.dropped) + " records were lost";
  }
  return valid_utf8(text);
}

class ProcessReader
{
public:
  ProcessReader(const LongTrace & process, ProcessTimeline & timeline)
  : process_(process),
    timeline_(timeline)
  {
  }

  std::vector<PlacedThread> read()
  {
    const std::int64_t end = end_of(process_);
    std::vector<PlacedThread> threads;
    for (const LongThread & thread : process_.threads) {
      PlacedThread placed{
        timeline_.tracks.size(), thread_events(process_, thread, end, timeline_.texts)};
      add_thread(thread, placed.events);
      threads.push_back(std::move(placed));
    }
    for (auto & [chain, activations] : activations_) {
      add_chain(chain, activations);
    }
    for (auto & [name, samples] : samples_) {
      add_counter(timeline_.texts.all()[name], "", std::move(samples));
    }
    const LongVector<PlacedState> states = callback_states(process_);
    for (std::size_t from = 0; from < states.size();) {
      std::size_t to = from + 1;
      while (to < states.size() && states[to].callback == states[from].callback) {
        ++to;
      }
      add_states(states, from, to, threads);
      from = to;
    }
    for (auto & [name, samples] : core_waits_) {
      add_counter(name, "us", std::move(samples));
    }
    for (LongVector<Slice> & slices : lanes_of(std::move(stalls_))) {
      Track & lane = timeline_.tracks.emplace_back();
      lane.type = TrackType::host;
      lane.name = "host";
      lane.slices = std::move(slices);
    }
    return threads;
  }

private:
  void add_thread(const LongThread & thread, ThreadEvents & events)
  {
    stalls_.append(events.host_stalls);
    if (is_witness(thread)) {
      return;  // all its events are on the host's track
    }
    const std::size_t parent = timeline_.tracks.size();
    Track & track = timeline_.tracks.emplace_back();
    track.name = valid_utf8(thread.name);
    track.description = description_of(thread);
    track.tid = thread.tid;
    track.slices = std::move(events.slices);
    track.instants = std::move(events.instants);
    for (LongVector<Slice> & slices : lanes_of(std::move(events.told))) {
      Track & lane = timeline_.tracks.emplace_back();
      lane.type = TrackType::lane;
      lane.name = "slices";
      lane.parent = parent;
      lane.slices = std::move(slices);
    }
    for (const TracedActivation & activation : events.activations) {
      activations_[activation.chain].push_back(activation);
    }
    for (const auto [name, sample] : events.samples) {
      samples_[name.number].push_back(sample);
    }
    if (!events.core_waits.empty()) {
      core_waits_.emplace_back(
        "core wait of " + valid_utf8(thread.name) + " (" + std::to_string(thread.tid) + ")",
        std::move(events.core_waits));
    }
  }

  /// Adds the tracks of one callback. Omits values that are always 0, and a constant priority.
  void add_states(
    const LongVector<PlacedState> & states, std::size_t from, std::size_t to,
    const std::vector<PlacedThread> & threads)
  {
    const PlacedState first = states[from];
    const std::string id = valid_utf8(callback_at(first.callback));
    add_instants(id, states, from, to, threads);
    const auto add = [&](const std::string & what, std::int64_t PlacedState::*value, bool wanted) {
      LongVector<Sample> samples;
      for (std::size_t i = from; i < to; ++i) {
        const PlacedState state = states[i];
        samples.push_back({state.time, static_cast<double>(state.*value)});
        wanted = wanted || first.*value != state.*value;
      }
      if (wanted) {
        add_counter(what + " " + id, "", std::move(samples));
      }
    };
    add("waiting", &PlacedState::waiting, first.waiting != 0);
    add("priority", &PlacedState::priority, false);
    add("overwritten", &PlacedState::overwritten, first.overwritten != 0);
  }

  void add_instants(
    const std::string & id, const LongVector<PlacedState> & states, std::size_t from,
    std::size_t to, const std::vector<PlacedThread> & threads)
  {
    for (std::size_t i = from; i < to; ++i) {
      const PlacedState state = states[i];
      if (const std::int64_t messages = state.newly_overwritten; messages > 0) {
        const std::string noun = messages == 1 ? " message" : " messages";
        const Text words = timeline_.texts.add(std::to_string(messages) + noun + " overwritten");
        auto & instants = timeline_.tracks[threads[state.thread].track].instants;
        instants.push_back(
          {state.time, words, Category::message, true, timeline_.texts.add(id), instants.size()});
      }
    }
  }

  std::string callback_at(std::uint32_t callback) const
  {
    const bool known = callback < process_.callbacks.size();
    return known ? process_.callbacks[callback].id : "callback " + std::to_string(callback);
  }

  void add_chain(std::uint32_t chain, const LongVector<TracedActivation> & activations)
  {
    const bool known = chain < process_.chains.size();
    const std::string name = known ? process_.chains[chain].name : "chain " + std::to_string(chain);
    const std::int64_t deadline = known ? process_.chains[chain].deadline : 0;
    const Text text = timeline_.texts.add(name);
    LongVector<Slice> slices;
    LongVector<Sample> responses;
    for (const TracedActivation & activation : activations) {
      const std::int64_t response = activation.end - activation.release;  // neither is negative
      Slice slice{activation.release, activation.end, text, Category::chain};
      if (deadline > 0 && response > deadline) {
        slice.facts.add_deadline_missed();
      }
      slices.push_back(slice);
      responses.push_back({activation.end, static_cast<double>(response) / 1e6});
    }
    for (LongVector<Slice> & on_lane : lanes_of(std::move(slices))) {
      Track & lane = timeline_.tracks.emplace_back();
      lane.type = TrackType::chain;
      lane.name = valid_utf8("chain " + name);
      lane.slices = std::move(on_lane);
      const Text missed = timeline_.texts.add("deadline missed");
      for (const Slice & slice : lane.slices) {
        if (slice.facts.has(Fact::deadline_missed)) {
          lane.instants.push_back(
            {slice.begin + deadline, missed, Category::chain, false, {}, lane.instants.size()});
        }
      }
    }
    add_counter("response time of " + valid_utf8(name), "ms", std::move(responses));
  }

  void add_counter(const std::string & name, const std::string & unit, LongVector<Sample> samples)
  {
    samples.sort([](const Sample & a, const Sample & b) { return a.time < b.time; });
    Track & track = timeline_.tracks.emplace_back();
    track.type = TrackType::counter;
    track.name = name;
    track.unit = unit;
    track.samples = std::move(samples);
  }

  const LongTrace & process_;
  ProcessTimeline & timeline_;
  std::map<std::uint32_t, LongVector<TracedActivation>> activations_;   // by chain
  std::map<std::uint32_t, LongVector<Sample>> samples_;                 // by text
  std::vector<std::pair<std::string, LongVector<Sample>>> core_waits_;  // by thread
  LongVector<Slice> stalls_;
};

}  // namespace

std::vector<PlacedThread> add_tracks(const LongTrace & process, ProcessTimeline & timeline)
{
  return ProcessReader(process, timeline).read();
}

}  // namespace takt_trace::detail
