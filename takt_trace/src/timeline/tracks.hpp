// The parts of a drawn trace: processes with tracks, tracks with slices, instants and samples.
//
// Times are the process's own (CLOCK_MONOTONIC); `ProcessTimeline::at` gives the time that all
// processes of the timeline share. Set-up only: allocates; does not block.
#ifndef TAKT_TRACE__SRC__TIMELINE__TRACKS_HPP_
#define TAKT_TRACE__SRC__TIMELINE__TRACKS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "takt_trace/long_vector.hpp"
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
  cpu_us,               ///< of the run with its take; only if measured
  core_wait_before_us,  ///< before the pick, since the previous run of the thread; only if measured
  core_wait_us,         ///< in the run; only if measured
  core,                 ///< where it started
  skipped,              ///< periods of a timer
  deadline_missed,
  cut,  ///< the slice ends early: its end is lost, or it does not nest
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

/// The facts of a slice in a few words of memory, because a long trace has many slices.
class SliceFacts
{
public:
  bool has(Fact fact) const { return (has_ & bit(fact)) != 0; }

  void add_waited(double us) { waited_us_ = add(Fact::waited_us, us); }
  void add_skipped(std::int64_t periods) { skipped_ = add(Fact::skipped, periods); }
  void add_core(std::int32_t core) { core_ = add(Fact::core, core); }
  void add_cut() { add(Fact::cut, true); }
  void add_deadline_missed() { add(Fact::deadline_missed, true); }
  void add_cpu(double us) { cpu_us_ = add_measured(Fact::cpu_us, us); }
  void add_core_wait_before(double us)
  {
    core_wait_before_us_ = add_measured(Fact::core_wait_before_us, us);
  }
  void add_core_wait(double us) { core_wait_us_ = add_measured(Fact::core_wait_us, us); }

  /// Calls `visit` with each annotation, in the order of adding.
  template <typename Visit>
  void visit(const Visit & visit) const
  {
    const auto tell = [&](Fact fact, auto value) {
      if (has(fact)) {
        visit(Annotation{fact, value});
      }
    };
    const auto tell_measured = [&](bool now) {
      if (now) {
        tell(Fact::cpu_us, cpu_us_);
        tell(Fact::core_wait_before_us, core_wait_before_us_);
        tell(Fact::core_wait_us, core_wait_us_);
      }
    };
    tell(Fact::waited_us, waited_us_);
    tell(Fact::skipped, skipped_);
    tell(Fact::core, std::int64_t{core_});
    tell_measured(!measured_last_);
    tell(Fact::cut, true);
    tell(Fact::deadline_missed, true);
    tell_measured(measured_last_);
  }

private:
  static constexpr std::uint16_t bit(Fact fact)
  {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(fact));
  }
  template <typename Value>
  Value add(Fact fact, Value value)
  {
    has_ = static_cast<std::uint16_t>(has_ | bit(fact));
    return value;
  }
  double add_measured(Fact fact, double us)
  {
    measured_last_ = has(Fact::cut) || has(Fact::deadline_missed);
    return add(fact, us);
  }

  double waited_us_ = 0;
  double cpu_us_ = 0;
  double core_wait_before_us_ = 0;
  double core_wait_us_ = 0;
  std::int64_t skipped_ = 0;
  std::int32_t core_ = 0;
  std::uint16_t has_ = 0;
  bool measured_last_ = false;  // after the slice was closed
};

struct Slice
{
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Text name;
  Category category = Category::span;
  std::uint32_t depth = 0;  ///< number of slices of the track around it
  SliceFacts facts{};
};

struct Instant
{
  std::int64_t time = 0;
  Text name;
  Category category = Category::span;
  bool has_callback = false;
  Text callback{};
  std::size_t number = 0;  ///< among the track's instants, before sorting by time
};

template <typename Visit>
void visit_annotations(const Slice & slice, const Visit & visit)
{
  slice.facts.visit(visit);
}
template <typename Visit>
void visit_annotations(const Instant & instant, const Visit & visit)
{
  if (instant.has_callback) {
    visit(Annotation{Fact::callback, instant.callback});
  }
}

struct Sample
{
  std::int64_t time = 0;
  double value = 0;
};

enum class TrackType : std::uint8_t
{
  thread,
  lane,  ///< slices beside those of the thread
  chain,
  host,  ///< stalls of the host's cores
  counter
};

struct Track
{
  TrackType type = TrackType::thread;
  std::string name;
  std::string description;
  std::int64_t tid = 0;          ///< of the thread; unique among all processes
  std::size_t parent = 0;        ///< for a lane: index of its thread's track
  std::string unit;              ///< of the samples
  LongVector<Slice> slices;      ///< nested strictly; by begin, outer ones first
  LongVector<Instant> instants;  ///< by time
  LongVector<Sample> samples;    ///< by time; finite
};

struct ProcessTimeline
{
  std::int64_t pid = 0;  ///< unique
  std::string name;
  std::int64_t offset = 0;
  Texts texts;
  std::vector<Track> tracks;  ///< parents first

  /// The time in the clock of the timeline; never negative.
  std::uint64_t at(std::int64_t time) const noexcept;
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__TIMELINE__TRACKS_HPP_
