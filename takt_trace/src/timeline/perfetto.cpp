#include "timeline/perfetto.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <sstream>
#include <utility>
#include <variant>

#include "timeline/perfetto_fields.hpp"
#include "timeline/protobuf_writer.hpp"
#include "timeline/timeline.hpp"

namespace takt_trace
{
namespace
{

using detail::ProcessTimeline;
using detail::ProtobufWriter;
using detail::Track;
using detail::TrackType;
namespace clock_snapshot = detail::clock_snapshot;
namespace descriptor = detail::descriptor;
namespace event = detail::event;
namespace interned = detail::interned;
namespace packet = detail::packet;

/// Names by number; 0 means no name.
constexpr std::uint64_t interned_id(std::size_t number)
{
  return number + 1;
}

template <typename Texts>
void write_interned(ProtobufWriter & data, std::uint32_t field, const Texts & texts)
{
  ProtobufWriter entry;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    entry.clear();
    entry.varint(interned::kId, interned_id(i));
    entry.text(interned::kText, texts[i]);
    data.message(field, entry);
  }
}

/// Writes one process as a sequence: first the names, then the tracks, then the events of each
/// track.
class PerfettoProcessWriter
{
public:
  PerfettoProcessWriter(const detail::Timeline & timeline, std::size_t number, std::ostream & out)
  : timeline_(timeline),
    number_(number),
    process_(timeline.processes[number]),
    sequence_(number + 1),
    out_(out)
  {
  }

  /// The next arrows in the lists of all.
  struct Arrows
  {
    std::size_t begins = 0;
    std::size_t ends = 0;
  };

  /// `uuid`: of the process; its tracks use the numbers after it.
  void write(std::uint64_t uuid, Arrows & arrows)
  {
    write_names();
    write_process(uuid);
    for (std::size_t i = 0; i < process_.tracks.size(); ++i) {
      write_descriptor(process_.tracks[i], uuid, uuid + 1 + i);
    }
    for (std::size_t i = 0; i < process_.tracks.size(); ++i) {
      track_uuid_ = uuid + 1 + i;
      track_ = i;
      write_events(process_.tracks[i], arrows);
    }
    write_piece();
  }

private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  void write_packet(std::uint64_t flags)
  {
    packet_.varint(packet::kSequence, sequence_);
    packet_.varint(packet::kSequenceFlags, flags);
    trace_.message(detail::trace::kPacket, packet_);
    packet_.clear();
    if (trace_.bytes().size() > kPiece) {
      write_piece();
    }
  }

  void write_piece()
  {
    out_ << trace_.bytes();
    trace_.clear();
  }

  void write_names()
  {
    ProtobufWriter data;
    write_interned(data, interned::kCategories, detail::kCategories);
    write_interned(data, interned::kNames, process_.texts.all());
    write_interned(data, interned::kFacts, detail::kFacts);
    packet_.message(packet::kInternedData, data);
    packet_.varint(packet::kFirstOnSequence, 1);
    write_packet(packet::kStateCleared);
  }

  void write_process(std::uint64_t uuid)
  {
    ProtobufWriter process, track;
    process.varint(descriptor::kPid, static_cast<std::uint64_t>(process_.pid));
    process.text(descriptor::kProcessName, process_.name);
    track.varint(descriptor::kUuid, uuid);
    track.message(descriptor::kProcess, process);
    packet_.message(packet::kTrackDescriptor, track);
    write_packet(packet::kNeedsState);
  }

  void write_descriptor(const Track & track, std::uint64_t process, std::uint64_t uuid)
  {
    ProtobufWriter fields, kind;
    fields.varint(descriptor::kUuid, uuid);
    const bool is_lane = track.type == TrackType::lane;
    fields.varint(descriptor::kParent, is_lane ? process + 1 + track.parent : process);
    if (track.type == TrackType::thread) {
      kind.varint(descriptor::kThreadPid, static_cast<std::uint64_t>(process_.pid));
      kind.varint(descriptor::kTid, static_cast<std::uint64_t>(track.tid));
      kind.text(descriptor::kThreadName, track.name);
      fields.message(descriptor::kThread, kind);
    } else {
      fields.text(descriptor::kName, track.name);
    }
    if (track.type == TrackType::counter) {
      if (!track.unit.empty()) {
        kind.text(descriptor::kUnitName, track.unit);
      }
      fields.message(descriptor::kCounter, kind);
    }
    if (!track.description.empty()) {
      fields.text(descriptor::kDescription, track.description);
    }
    packet_.message(packet::kTrackDescriptor, fields);
    write_packet(packet::kNeedsState);
  }

  /// Writes events in the order of time. Begins and ends of the same time keep the order of the
  /// nest, as readers expect.
  void write_events(const Track & track, Arrows & arrows)
  {
    std::size_t next = 0;
    const auto write_instants_until = [&](std::int64_t time) {
      for (; next < track.instants.size(); ++next) {
        const detail::Instant instant = track.instants[next];
        if (instant.time > time) {
          break;
        }
        write_instant(instant, arrows);
      }
    };
    std::vector<std::int64_t> ends;  // of open slices
    const auto close_to = [&](std::size_t depth) {
      for (; ends.size() > depth; ends.pop_back()) {
        write_instants_until(ends.back());
        begin_event(event::kEnd);
        write_event(ends.back());
      }
    };
    for (std::size_t i = 0; i < track.slices.size(); ++i) {
      const detail::Slice slice = track.slices[i];
      close_to(slice.depth);
      write_instants_until(slice.begin);
      write_slice_begin(slice, i, arrows);
      ends.push_back(slice.end);
    }
    close_to(0);
    write_instants_until(std::numeric_limits<std::int64_t>::max());
    for (const detail::Sample & sample : track.samples) {
      begin_event(event::kCounter);
      write_category(detail::Category::counter);
      event_.number(event::kCounterValue, sample.value);
      write_event(sample.time);
    }
  }

  void write_slice_begin(const detail::Slice & slice, std::size_t index, Arrows & arrows)
  {
    begin_event(event::kBegin);
    write_about(slice);
    write_arrows(event::kArrowEnd, timeline_.arrow_ends, index, arrows.ends);
    write_event(slice.begin);
  }

  void write_instant(const detail::Instant & instant, Arrows & arrows)
  {
    begin_event(event::kInstant);
    write_about(instant);
    write_arrows(event::kArrow, timeline_.arrow_begins, instant.number, arrows.begins);
    write_event(instant.time);
  }

  /// Writes the arrows of an event of the track.
  void write_arrows(
    std::uint32_t field, const LongVector<detail::ArrowEnd> & all, std::size_t of,
    std::size_t & next)
  {
    for (; next < all.size() && all[next].is_of(number_, track_) && all[next].event == of; ++next) {
      event_.fixed64(field, all[next].arrow);
    }
  }

  void begin_event(std::uint64_t type)
  {
    event_.clear();
    event_.varint(event::kType, type);
    event_.varint(event::kTrack, track_uuid_);
  }

  void write_category(detail::Category category)
  {
    event_.varint(event::kCategory, interned_id(static_cast<std::size_t>(category)));
  }

  /// Writes the common part of slices and instants.
  template <typename Event>
  void write_about(const Event & about)
  {
    event_.varint(event::kName, interned_id(about.name.number));
    write_category(about.category);
    visit_annotations(about, [this](const detail::Annotation & annotation) {
      fact_.clear();
      fact_.varint(event::kFact, interned_id(static_cast<std::size_t>(annotation.fact)));
      std::visit([this](const auto & value) { write_value(value); }, annotation.value);
      event_.message(event::kAnnotation, fact_);
    });
  }

  void write_value(bool value) { fact_.varint(event::kBool, value ? 1 : 0); }
  void write_value(std::int64_t value)
  {
    fact_.varint(event::kInt, static_cast<std::uint64_t>(value));
  }
  void write_value(double value) { fact_.number(event::kDouble, value); }
  void write_value(detail::Text value)
  {
    fact_.text(event::kText, process_.texts.all()[value.number]);
  }

  void write_event(std::int64_t time)
  {
    packet_.varint(packet::kTimestamp, process_.at(time));
    packet_.message(packet::kTrackEvent, event_);
    write_packet(packet::kNeedsState);
  }

  const detail::Timeline & timeline_;
  const std::size_t number_;  // of the process
  const ProcessTimeline & process_;
  const std::uint64_t sequence_;
  std::ostream & out_;
  std::size_t track_ = 0;  // the current track
  std::uint64_t track_uuid_ = 0;
  ProtobufWriter trace_, packet_, event_, fact_;  // members, to keep their memory
};

/// Readers take times without a clock as CLOCK_BOOTTIME, and find the time of day by this snapshot.
/// With several hosts all times are CLOCK_REALTIME, so both clocks are the same in it.
void write_clocks(const detail::Timeline & timeline, ProtobufWriter & trace)
{
  const auto & [boottime, realtime] = timeline.clocks;
  ProtobufWriter clock, snapshot, packet;
  clock.varint(clock_snapshot::kClockId, clock_snapshot::kBoottime);
  clock.varint(clock_snapshot::kClockTime, boottime);
  snapshot.message(clock_snapshot::kClock, clock);
  clock.clear();
  clock.varint(clock_snapshot::kClockId, clock_snapshot::kRealtime);
  clock.varint(clock_snapshot::kClockTime, realtime);
  snapshot.message(clock_snapshot::kClock, clock);
  packet.message(packet::kClockSnapshot, snapshot);
  packet.varint(packet::kSequence, timeline.processes.size() + 1);
  trace.message(detail::trace::kPacket, packet);
}

}  // namespace

void write_perfetto_trace(const std::vector<LongTrace> & processes, std::ostream & out)
{
  const detail::Timeline timeline = detail::make_timeline(processes);
  ProtobufWriter trace;
  write_clocks(timeline, trace);
  out << trace.bytes();
  std::uint64_t uuid = 1;
  PerfettoProcessWriter::Arrows arrows;
  for (std::size_t process = 0; process < timeline.processes.size(); ++process) {
    PerfettoProcessWriter(timeline, process, out).write(uuid, arrows);
    uuid += timeline.processes[process].tracks.size() + 1;
  }
}

void write_perfetto_trace(const std::vector<ProcessTrace> & processes, std::ostream & out)
{
  write_perfetto_trace(borrowed(processes), out);
}

std::string perfetto_trace(const std::vector<ProcessTrace> & processes)
{
  std::ostringstream out;
  write_perfetto_trace(processes, out);
  return std::move(out).str();
}

}  // namespace takt_trace
