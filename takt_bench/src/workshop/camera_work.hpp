// The work of the callbacks of exercises 3-1 to 4-2, and what watches a run of them: the same for
// nodes of takt_rcl and of rclcpp.
#ifndef TAKT_BENCH__SRC__WORKSHOP__CAMERA_WORK_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__CAMERA_WORK_HPP_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "takt_rt/fault.hpp"
#include "takt_rt/time.hpp"
#include "workshop/burn.hpp"
#include "workshop/found.hpp"
#include "workshop/setting.hpp"
#include "workshop/slices.hpp"

namespace takt_bench::workshop
{

inline constexpr takt_rt::Duration kFramePeriod = std::chrono::nanoseconds(33'333'333);
inline constexpr std::size_t kImageDepth = 10;
/// How long nodes may take to find each other.
inline constexpr takt_rt::Duration kMatchPatience = std::chrono::seconds(30);

/// The logs of the four callbacks, in a run's results. Set-up only: allocates.
struct CameraLogs
{
  CameraLogs(const Setting & setting, Found & found);

  SliceLog & camera;
  SliceLog & logger;
  SliceLog & detector;
  SliceLog & actuation;
};

/// The camera's timer. One thread calls `shoot`.
class Shots
{
public:
  explicit Shots(SliceLog & log) : log_(log) {}

  /// The image: the time at which it was taken, ns. `due_ns`: when the timer was due. Real-time
  /// safe.
  std::int64_t shoot(std::int64_t due_ns) noexcept;

  /// When the last image was due; 0: there was none. The others are due whole periods later. Any
  /// thread.
  std::int64_t due_ns() const noexcept { return due_ns_.load(std::memory_order_relaxed); }

private:
  SliceLog & log_;
  std::atomic<std::int64_t> due_ns_{0};
  takt_rt::Time last_{};
};

/// The data logger and the object detector. Either may run on a thread of its own.
class ImageWork
{
public:
  ImageWork(const std::string & exercise, CameraLogs logs, StallNotes & stalls);

  /// Uses the core for random times, and sleeps, as if it wrote to a disk.
  void log(std::int64_t image);

  /// `publish(image)` is called at the end of the work.
  template <typename Publish>
  void detect(std::int64_t image, const Publish & publish)
  {
    const takt_rt::Time begin = start(image, logs_.detector);
    ThreadWitness::mine().burn(kDetect, stalls_);
    publish(image);
    logs_.detector.add(Slice::object_detect, begin, takt_rt::now());
  }

private:
  /// The logger's work.
  struct Logging
  {
    int parts;
    takt_rt::Duration least_part;
    takt_rt::Duration most_part;
    takt_rt::Duration sleep;
  };
  static constexpr takt_rt::Duration kDetect = std::chrono::milliseconds(3);

  static Logging logging_of(const std::string & exercise);
  static takt_rt::Time start(std::int64_t image, SliceLog & log) noexcept;

  const Logging logging_;
  CameraLogs logs_;
  StallNotes & stalls_;
  std::mt19937 random_{2023};  // the same work in each run
};

/// The actuation. One thread.
class ActuationWork
{
public:
  ActuationWork(SliceLog & log, StallNotes & stalls) : log_(log), stalls_(stalls) {}

  void actuate(std::int64_t image);

private:
  SliceLog & log_;
  StallNotes & stalls_;
};

/// Spins executors until `until`, and calls `meanwhile` as soon as they spin. Returns the sentences
/// of exceptions that ended a spin.
using Spin = std::function<std::vector<std::string>(
  takt_rt::Time until, const std::function<void()> & meanwhile)>;

/// Spins under the setting's load and beside the witnesses of host stalls, and completes `found`
/// with what they saw. Blocks for the duration. Returns the faults of the spin.
takt_rt::Faults measure_camera(
  const Setting & setting, const Shots & shots, const StallNotes & stalls, const Spin & spin,
  Found & found);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__CAMERA_WORK_HPP_
