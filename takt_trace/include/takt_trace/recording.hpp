// Records this process: each thread writes a ring without locks; the rings go to a file or to a
// flight recorder.
//
// The first `run_recorder` of a process makes it traceable: `takt trace` starts and stops its
// recording through the control socket. While no recording runs, each hook costs a call and one
// load.
#ifndef TAKT_TRACE__RECORDING_HPP_
#define TAKT_TRACE__RECORDING_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "takt_core/message_key.hpp"
#include "takt_core/observer.hpp"
#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"

namespace takt_trace
{

// ---- for front ends ----

/// An observer that records the runs and chains of its executor; `executor`: the executor's name in
/// schedules. Set-up only.
std::shared_ptr<takt_core::Observer> run_recorder(const std::string & executor);

/// The number of a topic in records. Real-time safe if the topic is known; otherwise it allocates
/// and may block.
std::uint32_t topic_id(std::string_view topic);

/// A publisher's gid as one number, for records (FNV-1a). Real-time safe.
constexpr std::int64_t fold(const std::uint8_t * gid, std::size_t bytes) noexcept
{
  std::uint64_t value = 14695981039346656037ULL;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = (value ^ gid[i]) * 1099511628211ULL;
  }
  return static_cast<std::int64_t>(value);
}

/// Call it right before or while a message goes to the middleware. Real-time safe; on a thread
/// without an executor the first record of a recording allocates.
void record_publish(std::uint32_t topic, const takt_core::MessageKey & message) noexcept;
/// Call it after a take, on the thread that then runs the callback. As `record_publish`.
void record_take(const takt_core::MessageKey & message) noexcept;

// ---- to control the recording; set-up only, any thread, may block ----

/// What to record, how much of it, and where the file is made.
struct RecordingOptions
{
  static constexpr std::size_t kLeastRecords = 1024;
  static constexpr std::size_t kMostRecords = 1U << 20U;

  /// The size of each thread's ring; rounded up to a power of two. A ring grows if a recording asks
  /// for more.
  std::size_t records = 16384;
  /// Keep only the records of this last time, in memory (flight recorder); absent: write all to the
  /// file.
  std::optional<takt_rt::Duration> last{};
  /// Measure the CPU time of each run, for models: one to three looks at the thread's CPU clock
  /// (takt_core/run_costs.hpp), some 0.4 us each.
  bool cpu_times = false;
  /// Ask the kernel at the pick and at the end of each run how long the thread waited for a core,
  /// and how often it slept or was preempted (`RecordKind::kernel_wait`): four system calls, some 2
  /// us for each run. Opens a file for each thread.
  bool kernel = false;
  /// Watch for stalls of the host (`RecordKind::host_stall`): one SCHED_FIFO 99 thread for each
  /// core that the process may use, which takes 15 us of the core every 10 ms. One process per host
  /// should do it.
  bool stalls = false;
  /// The folder of the file; empty: the folder of the control socket.
  std::string folder{};
};

/// The result of `start_recording`.
struct RecordingStart
{
  std::size_t threads = 0;     ///< threads that record
  takt_rt::Faults warnings{};  ///< the parts that are not recorded, and why
};

/// The file that `stop_recording` or `snapshot_recording` wrote.
struct RecordingFile
{
  std::string path;
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  takt_rt::Faults faults{};  ///< why the file ends early; it is complete up to there
};

/// True while a recording runs. Real-time safe.
bool recording() noexcept;
/// Faults: a recording runs already; the options are out of range; the file cannot be made.
takt_rt::Result<RecordingStart> start_recording(const RecordingOptions & options);
/// Faults: no recording runs; the file cannot be written.
takt_rt::Result<RecordingFile> stop_recording();
/// Writes the records so far to a file of its own; the recording goes on. Faults: see
/// `stop_recording`.
takt_rt::Result<RecordingFile> snapshot_recording();

}  // namespace takt_trace

#endif  // TAKT_TRACE__RECORDING_HPP_
