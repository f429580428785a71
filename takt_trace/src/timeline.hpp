// Traces as tracks that can be drawn: what the writers of the two formats share.
//
// Times are the process's own (CLOCK_MONOTONIC); `ProcessTimeline::at` gives the time that all processes of the
// timeline share. Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__TIMELINE_HPP_
#define TAKT_TRACE__SRC__TIMELINE_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "takt_trace/trace.hpp"
#include "texts.hpp"

namespace takt_trace::detail
{

enum class Category : std::uint8_t
{
  callback,
  span,
  chain,
  message,
  counter,
  host
};

inline constexpr std::array<const char *, 6> kCategories{"callback", "span",    "chain",
                                                         "message",  "counter", "host"};

enum class Fact : std::uint8_t
{
  waited_us,            ///< from release to start
  cpu_us,               ///< of the run with its take; only where it was measured
  core_wait_before_us,  ///< before the pick, since the thread's run before; only where it was measured
  core_wait_us,         ///< in the run, as above
  core,                 ///< on which it started
  skipped,              ///< periods of a timer
  deadline_missed,
  cut,  ///< nothing tells the slice's own end, or it does not nest: the slice ends early
  callback
};

inline constexpr std::array<const char *, 9> kFacts{
  "waited_us",       "cpu_us", "core_wait_before_us",
  "core_wait_us",    "core",   "skipped",
  "deadline_missed", "cut",    "callback"};

struct Annotation
{
  Fact fact;
  std::variant<bool, std::int64_t, double, Text> value;
};

struct Slice
{
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Text name;
  Category category = Category::span;
  std::uint32_t depth = 0;  ///< how many slices of the track are around it
  std::vector<Annotation> annotations;
  std::vector<std::uint64_t> arrows;  ///< that end at its begin
};

struct Instant
{
  std::int64_t time = 0;
  Text name;
  Category category = Category::span;
  std::vector<Annotation> annotations;
  std::vector<std::uint64_t> arrows;  ///< that begin here
};

struct Sample
{
  std::int64_t time = 0;
  double value = 0;
};

enum class TrackType : std::uint8_t
{
  thread,
  lane,  ///< of slices beside the thread's own
  chain,
  host,  ///< stalls of its cores
  counter
};

struct Track
{
  TrackType type = TrackType::thread;
  std::string name;
  std::string description;
  std::int64_t tid = 0;       ///< of the thread; unique among all processes
  std::size_t parent = 0;     ///< lane: index of its thread's track
  std::string unit;           ///< of the samples
  std::vector<Slice> slices;  ///< nested strictly; in the order of their begins, outer ones first
  std::vector<Instant> instants;  ///< by time
  std::vector<Sample> samples;    ///< by time; finite
};

struct ProcessTimeline
{
  std::int64_t pid = 0;  ///< unique
  std::string name;
  std::int64_t offset = 0;
  Texts texts;
  std::vector<Track> tracks;  ///< parents first

  /// In the clock of the timeline; never negative.
  std::uint64_t at(std::int64_t time) const noexcept;
};

/// The clocks of the first process at one moment, in nanoseconds.
struct ClockReading
{
  std::uint64_t boottime = 0;
  std::uint64_t realtime = 0;
};

struct Timeline
{
  /// The clock: CLOCK_REALTIME if the processes are of several hosts, else CLOCK_BOOTTIME.
  bool realtime = false;
  ClockReading clocks;
  std::vector<ProcessTimeline> processes;
};

Timeline make_timeline(const std::vector<ProcessTrace> & processes);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE_HPP_
