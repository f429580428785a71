// The slices of an exercise: named times from a begin to an end, as samples and in the recorded
// trace.
//
// The names are those of the ROSCon 2023 workshop on real-time programming, so that its traces and
// these show the same words.
#ifndef TAKT_BENCH__SRC__WORKSHOP__SLICES_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__SLICES_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "takt_rt/time.hpp"
#include "takt_trace/stall_index.hpp"
#include "takt_trace/tracer.hpp"

namespace takt_bench::workshop
{

/// The measurement of a slice.
enum class Slice : std::uint8_t
{
  loop,                  ///< a cycle's work
  wakeup,                ///< from a cycle's release to the moment at which its thread runs
  sleep,                 ///< between two cycles
  get_desired_position,  ///< the controller reads the position that another thread sets
  get_pid_constants,     ///< the controller reads three numbers that another thread uses
  update_queue,          ///< the controller hands a sample to another thread
  read_sensor,           ///< the controller reads the pendulum's angle
  get_command,           ///< the controller computes the motor's velocity
  write_command,         ///< the motor takes it
  nothing,               ///< two looks at the clock beside such a slice: what the machine takes
  data_logger,
  object_detect,
  actuation,
  message_delay,     ///< from a publication to the start of the callback that took the message
  end_to_end_delay,  ///< from the image to the end of the actuation
  period             ///< between the starts of two callbacks of a timer
};

inline constexpr std::array<takt_trace::Literal, 16> kSliceNames{
  "Loop",        "Wakeup",       "Sleep",      "GetDesiredPosition", "GetPIDConstants",
  "UpdateQueue", "ReadSensor",   "GetCommand", "WriteCommand",       "Nothing",
  "DataLogger",  "ObjectDetect", "Actuation",  "MessageDelay",       "EndToEndDelay",
  "period"};

constexpr const char * name_of(Slice slice) noexcept
{
  return kSliceNames[static_cast<std::size_t>(slice)].text();
}

struct Sample
{
  Slice slice;
  takt_rt::Time begin;
  takt_rt::Time end;
};

/// The slices of one thread, or of the callbacks of one group. One writer at a time.
class SliceLog
{
public:
  /// Set-up only: allocates room for `most` slices.
  SliceLog(std::string owner, std::size_t most) : owner_(std::move(owner))
  {
    samples_.reserve(most);
  }
  SliceLog(const SliceLog &) = delete;
  SliceLog & operator=(const SliceLog &) = delete;

  /// Also records the slice in the trace, if one is recorded. Real-time safe, as the tracer is: see
  /// tracer.hpp. A slice without room is counted.
  void add(Slice slice, takt_rt::Time begin, takt_rt::Time end) noexcept
  {
    tracer_.slice(kSliceNames[static_cast<std::size_t>(slice)], begin, end);
    if (samples_.size() == samples_.capacity()) {
      ++without_room_;
      return;
    }
    samples_.push_back({slice, begin, end});
  }
  /// A cycle began a period or more after its release. Real-time safe.
  void overran() noexcept { tracer_.instant("LoopOverrun"); }

  const std::string & owner() const noexcept { return owner_; }
  const std::vector<Sample> & samples() const noexcept { return samples_; }
  std::uint64_t without_room() const noexcept { return without_room_; }

  /// Host stalls of the core of this log's thread alone. Set-up only, when its thread writes no
  /// more.
  void add_stalls(const std::vector<takt_trace::TimeSpan> & spans)
  {
    stalls_.insert(stalls_.end(), spans.begin(), spans.end());
  }
  const std::vector<takt_trace::TimeSpan> & stalls() const noexcept { return stalls_; }

private:
  const std::string owner_;
  std::vector<Sample> samples_;
  std::uint64_t without_room_ = 0;
  std::vector<takt_trace::TimeSpan> stalls_{};
  takt_trace::Tracer tracer_{};
};

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__SLICES_HPP_
