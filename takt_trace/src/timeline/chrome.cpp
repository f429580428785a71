#include "timeline/chrome.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "timeline/timeline.hpp"

namespace takt_trace
{
namespace
{

using detail::ProcessTimeline;
using detail::Timeline;
using detail::Track;
using detail::TrackType;

/// In this format slices belong to threads. Tracks of chains and lanes get numbers from here on,
/// above those of real threads.
constexpr std::int64_t kFirstTrack = 2'000'000'000;

std::string quoted(const std::string & text)
{
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The shortest decimal that reads back as `value`, which is finite.
std::string number(double value)
{
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

/// Microseconds with three decimals.
std::string microseconds(std::uint64_t ns)
{
  const std::string below = std::to_string(ns % 1000);
  return std::to_string(ns / 1000) + "." + std::string(3 - below.size(), '0') + below;
}

/// Readers store microseconds in a double, which resolves a nanosecond for 52 days. CLOCK_BOOTTIME
/// stays about that small, and is not changed. From CLOCK_REALTIME the whole seconds before the
/// first event are subtracted.
std::uint64_t origin_of(const Timeline & timeline)
{
  std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
  for (const ProcessTimeline & process : timeline.processes) {
    const auto see = [&](std::int64_t time) { earliest = std::min(earliest, process.at(time)); };
    for (const Track & track : process.tracks) {
      for (const detail::Slice & slice : track.slices) {
        see(slice.begin);
      }
      for (const detail::Instant & instant : track.instants) {
        see(instant.time);
      }
      for (const detail::Sample & sample : track.samples) {
        see(sample.time);
      }
    }
  }
  const bool is_empty = earliest == std::numeric_limits<std::uint64_t>::max();
  return timeline.realtime && !is_empty ? earliest - earliest % 1'000'000'000 : 0;
}

/// Writes the text once it is large enough. Keeps its last character, which decides whether a comma
/// must follow.
void write_piece(std::string & text, std::ostream & out)
{
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  if (text.size() > kPiece) {
    out.write(text.data(), static_cast<std::streamsize>(text.size() - 1));
    text.erase(0, text.size() - 1);
  }
}

class ChromeProcessWriter
{
public:
  ChromeProcessWriter(
    const Timeline & timeline, std::size_t number, std::uint64_t origin, std::string & text,
    std::ostream & out)
  : timeline_(timeline),
    number_(number),
    process_(timeline.processes[number]),
    origin_(origin),
    text_(text),
    out_(out)
  {
    for (const std::string & name : process_.texts.all()) {
      names_.push_back(quoted(name));
    }
  }

  /// The first arrows of a process in the lists of all.
  struct Arrows
  {
    std::size_t begins = 0;
    std::size_t ends = 0;
  };

  /// `next_track`: the number of the next track that is not a thread.
  void write(std::int64_t & next_track, Arrows & arrows)
  {
    write_name("process_name", 0, process_.name);
    for (std::size_t i = 0; i < process_.tracks.size(); ++i) {
      const Track & track = process_.tracks[i];
      if (track.type == TrackType::counter) {
        write_samples(track);
      } else {
        tid_ = track.type == TrackType::thread ? track.tid : next_track++;
        write_name("thread_name", tid_, track.name);
        begin("M", "\"thread_sort_index\"");
        text_ += ",\"tid\":" + std::to_string(tid_) +
                 ",\"args\":{\"sort_index\":" + std::to_string(i) + "}}";
        write_events(track, i, arrows);
      }
    }
  }

private:
  void begin(const char * phase, const std::string & quoted_name)
  {
    const bool is_first = text_.back() == '[';
    write_piece(text_, out_);
    text_ += is_first ? "\n" : ",\n";
    text_ += "{\"ph\":\"";
    text_ += phase;
    text_ += "\",\"name\":" + quoted_name + ",\"pid\":" + std::to_string(process_.pid);
  }

  void write_name(const char * what, std::int64_t tid, const std::string & name)
  {
    begin("M", quoted(what));
    text_ += ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":" + quoted(name) + "}}";
  }

  std::uint64_t at(std::int64_t time) const
  {
    return process_.at(time) - std::min(origin_, process_.at(time));
  }

  void write_time(std::int64_t time) { text_ += ",\"ts\":" + microseconds(at(time)); }

  void write_events(const Track & track, std::size_t index, Arrows & arrows)
  {
    for (const detail::Slice & slice : track.slices) {
      begin("X", names_[slice.name.number]);
      write_time(slice.begin);
      text_ += ",\"dur\":" + microseconds(at(slice.end) - at(slice.begin));
      write_about(slice);
    }
    for (const detail::Instant & instant : track.instants) {
      begin("i", names_[instant.name.number]);
      text_ += ",\"s\":\"t\"";
      write_time(instant.time);
      write_about(instant);
    }
    // After the slices, because readers look for the slice around each end.
    write_arrows("s", "", timeline_.arrow_begins, index, arrows.begins);
    write_arrows("f", ",\"bp\":\"e\"", timeline_.arrow_ends, index, arrows.ends);
  }

  void write_arrows(
    const char * phase, const char * more, const LongVector<detail::ArrowEnd> & all,
    std::size_t track, std::size_t & next)
  {
    for (; next < all.size() && all[next].is_of(number_, track); ++next) {
      write_arrow(phase, more, all[next].arrow, all[next].time);
    }
  }

  void write_arrow(const char * phase, const char * more, std::uint64_t arrow, std::int64_t time)
  {
    begin(phase, "\"message\"");
    write_time(time);
    text_ += ",\"tid\":" + std::to_string(tid_) +
             ",\"cat\":\"message\",\"id\":" + std::to_string(arrow) + more + "}";
  }

  /// Writes the common part of slices and instants, and ends the event.
  template <typename Event>
  void write_about(const Event & about)
  {
    text_ += ",\"tid\":" + std::to_string(tid_) + ",\"cat\":\"";
    text_ += detail::kCategories[static_cast<std::size_t>(about.category)];
    text_ += "\",\"args\":{";
    const char * separator = "\"";
    visit_annotations(about, [&](const detail::Annotation & annotation) {
      text_ += separator;
      text_ += detail::kFacts[static_cast<std::size_t>(annotation.fact)];
      text_ += "\":";
      std::visit([this](const auto & value) { write_value(value); }, annotation.value);
      separator = ",\"";
    });
    text_ += "}}";
  }

  void write_value(bool value) { text_ += value ? "true" : "false"; }
  void write_value(std::int64_t value) { text_ += std::to_string(value); }
  void write_value(double value) { text_ += number(value); }
  void write_value(detail::Text value) { text_ += names_[value.number]; }

  void write_samples(const Track & track)
  {
    const std::string name = quoted(track.name);
    const std::string key = quoted(track.unit.empty() ? "value" : track.unit);
    for (const detail::Sample & sample : track.samples) {
      begin("C", name);
      write_time(sample.time);
      text_ += ",\"cat\":\"counter\",\"args\":{" + key + ":" + number(sample.value) + "}}";
    }
  }

  const Timeline & timeline_;
  const std::size_t number_;  // of the process
  const ProcessTimeline & process_;
  const std::uint64_t origin_;
  std::string & text_;
  std::ostream & out_;
  std::vector<std::string> names_;  // quoted, by number
  std::int64_t tid_ = 0;            // of the current track
};

}  // namespace

void write_chrome_trace(const std::vector<LongTrace> & processes, std::ostream & out)
{
  const Timeline timeline = detail::make_timeline(processes);
  const std::uint64_t origin = origin_of(timeline);
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"";
  text += timeline.realtime ? "realtime" : "boottime";
  text += "\",\"origin_ns\":\"" + std::to_string(origin) + "\"},\"traceEvents\":[";
  std::int64_t next_track = kFirstTrack;
  ChromeProcessWriter::Arrows arrows;
  for (std::size_t process = 0; process < timeline.processes.size(); ++process) {
    ChromeProcessWriter(timeline, process, origin, text, out).write(next_track, arrows);
  }
  text += "\n]}\n";
  out << text;
}

void write_chrome_trace(const std::vector<ProcessTrace> & processes, std::ostream & out)
{
  write_chrome_trace(borrowed(processes), out);
}

std::string chrome_trace(const std::vector<ProcessTrace> & processes)
{
  std::ostringstream out;
  write_chrome_trace(processes, out);
  return std::move(out).str();
}

}  // namespace takt_trace
