// Reads the bytes of a Perfetto trace, and reports faults that a viewer would refuse.
#ifndef SUPPORT__PERFETTO_DECODER_HPP_
#define SUPPORT__PERFETTO_DECODER_HPP_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "seen.hpp"
#include "wire.hpp"

namespace takt_trace::test
{

/// The content of a track's descriptor.
struct PerfettoTrack
{
  std::uint64_t uuid = 0, parent = 0;
  std::string name{}, description{}, unit{};
  bool is_process = false, is_thread = false, is_counter = false;
  std::int64_t pid = 0, tid = 0;
};

struct PerfettoTrace
{
  SeenTrace seen;  // without processes
  std::map<std::uint64_t, PerfettoTrack> tracks;
  std::map<std::uint64_t, std::uint64_t> clocks;  // time by number of the clock
};

class PerfettoDecoder
{
public:
  PerfettoTrace decode(std::string_view bytes)
  {
    try {
      const WireMessage trace(bytes);
      expect(trace.is_of({1}), "a trace has only packets");
      for (const WireField & packet : trace.fields()) {
        read_packet(WireMessage(packet.bytes));
      }
    } catch (const std::exception & e) {
      expect(false, e.what());
    }
    for (const auto & [uuid, open] : open_) {
      expect(open.empty(), trace_.tracks[uuid].name + ": a slice has no end");
    }
    find_faults(trace_.seen);
    return std::move(trace_);
  }

private:
  using Names = std::map<std::uint64_t, std::string>;
  using Sequence = std::map<std::uint32_t, Names>;  // by field of InternedData

  void expect(bool right, const std::string & what)
  {
    if (!right) {
      trace_.seen.faults.push_back(what);
    }
  }

  void read_packet(const WireMessage & packet)
  {
    expect(packet.is_of({6, 8, 10, 11, 12, 13, 60, 87}), "a packet has an unknown field");
    const std::uint64_t number = packet.value(10), flags = packet.value(13);
    expect(number != 0, "a packet without a sequence");
    if ((flags & 1) != 0) {
      sequences_[number] = {};
    }
    expect((flags & 2) == 0 || sequences_.contains(number), "a sequence did not begin");
    Sequence & sequence = sequences_[number];
    if (packet.has(6)) {
      for (const WireField & clock : packet.message(6).all(1)) {
        trace_.clocks[WireMessage(clock.bytes).value(1)] = WireMessage(clock.bytes).value(2);
      }
    }
    if (packet.has(12)) {
      read_names(sequence, packet.message(12));
    }
    if (packet.has(60)) {
      read_descriptor(packet.message(60));
    }
    if (packet.has(11)) {
      expect(packet.has(8), "an event without a time");
      read_event(sequence, packet.message(11), packet.value(8));
    }
  }

  void read_names(Sequence & sequence, const WireMessage & data)
  {
    for (const WireField & field : data.fields()) {
      const WireMessage entry(field.bytes);
      const bool is_new = sequence[field.number].emplace(entry.value(1), entry.text(2)).second;
      expect(is_new && entry.value(1) != 0, "an interned name without an id of its own");
    }
  }

  void read_descriptor(const WireMessage & descriptor)
  {
    expect(descriptor.is_of({1, 2, 3, 4, 5, 8, 14}), "a descriptor has an unknown field");
    const WireMessage process = descriptor.message(3), thread = descriptor.message(4);
    PerfettoTrack track{descriptor.value(1), descriptor.value(5)};
    track.is_process = descriptor.has(3);
    track.is_thread = descriptor.has(4);
    track.is_counter = descriptor.has(8);
    track.description = descriptor.text(14);
    track.unit = descriptor.message(8).text(6);
    track.pid = track.is_process ? process.integer(1) : thread.integer(1);
    track.tid = thread.integer(2);
    track.name = track.is_process  ? process.text(6)
                 : track.is_thread ? thread.text(5)
                                   : descriptor.text(2);
    add_track(track);
  }

  void add_track(const PerfettoTrack & track)
  {
    const bool is_new = trace_.tracks.emplace(track.uuid, track).second;
    expect(is_new && track.uuid != 0, "a track without a uuid of its own");
    if (track.is_process) {
      expect(pids_.insert(track.pid).second, "two processes with one pid");
      return;
    }
    expect(trace_.tracks.contains(track.parent), "a track comes before the track around it");
    expect(!track.is_thread || tids_.insert(track.tid).second, "two threads with one tid");
    places_[track.uuid] = trace_.seen.tracks.size();
    trace_.seen.tracks.push_back({process_of(track), track.name, track.pid, track.tid, {}, {}, {}});
  }

  std::string process_of(PerfettoTrack track)
  {
    while (track.parent != 0 && trace_.tracks.contains(track.parent)) {
      track = trace_.tracks[track.parent];
    }
    return track.name;
  }

  std::string interned(Sequence & sequence, std::uint32_t field, std::uint64_t id)
  {
    expect(sequence[field].contains(id), "an unknown interned name");
    return sequence[field][id];
  }

  Facts facts_of(Sequence & sequence, const WireMessage & event)
  {
    Facts facts;
    for (const WireField & field : event.all(4)) {
      const WireMessage fact(field.bytes);
      expect(fact.is_of({1, 2, 4, 5, 6}), "an annotation has an unknown field");
      facts[interned(sequence, 3, fact.value(1))] =
        fact.has(2)   ? (fact.value(2) != 0 ? "true" : "false")
        : fact.has(4) ? std::to_string(fact.integer(4))
        : fact.has(5) ? std::to_string(fact.one(5).real())
                      : fact.text(6);
    }
    return facts;
  }

  static std::vector<std::uint64_t> arrows_of(const WireMessage & event, std::uint32_t field)
  {
    std::vector<std::uint64_t> arrows;
    for (const WireField & arrow : event.all(field)) {
      arrows.push_back(arrow.value);
    }
    return arrows;
  }

  void read_event(Sequence & sequence, const WireMessage & event, std::uint64_t time)
  {
    expect(event.is_of({3, 4, 9, 10, 11, 44, 47, 48}), "an event has an unknown field");
    const std::uint64_t uuid = event.value(11), type = event.value(9);
    if (!places_.contains(uuid)) {
      expect(false, "an event comes before its track");
      return;
    }
    SeenTrack & track = trace_.seen.tracks[places_[uuid]];
    expect(time >= last_[uuid], track.name + ": times go back");
    last_[uuid] = time;
    expect(
      (type == 4) == trace_.tracks[uuid].is_counter, track.name + ": an event of another type");
    std::vector<std::size_t> & open = open_[uuid];
    if (type == 2) {
      expect(!open.empty(), track.name + ": an end without a begin");
      if (!open.empty()) {
        track.slices[open.back()].end = time;
        open.pop_back();
      }
      return;
    }
    const std::string category = interned(sequence, 1, event.value(3));
    if (type == 4) {
      track.samples.push_back({time, event.one(44).real()});
      return;
    }
    const std::string name = interned(sequence, 2, event.value(10));
    const Facts facts = facts_of(sequence, event);
    if (type == 1) {
      open.push_back(track.slices.size());
      track.slices.push_back({name, time, 0, category, facts, arrows_of(event, 48)});
    } else {
      expect(type == 3, "an event of an unknown type");
      track.instants.push_back({name, time, category, facts, arrows_of(event, 47)});
    }
  }

  PerfettoTrace trace_;
  std::map<std::uint64_t, Sequence> sequences_;
  std::map<std::uint64_t, std::size_t> places_;  // of tracks, by uuid
  std::map<std::uint64_t, std::uint64_t> last_;  // time of the last event, by uuid
  std::map<std::uint64_t, std::vector<std::size_t>> open_;
  std::set<std::int64_t> pids_, tids_;
};

inline PerfettoTrace decode_perfetto(std::string_view bytes)
{
  return PerfettoDecoder().decode(bytes);
}

}  // namespace takt_trace::test

#endif  // SUPPORT__PERFETTO_DECODER_HPP_
