#include "workshop/camera_work.hpp"

#include <optional>
#include <thread>

#include "latency/load.hpp"
#include "takt_trace/stall_witness.hpp"

namespace takt_bench::workshop
{

using takt_rt::Duration;
using takt_rt::Faults;
using takt_rt::Time;

namespace
{

constexpr Duration kActuate = std::chrono::microseconds(150);
// A thread of priority 99 that is due with the camera and as late as this shows that the host had
// the core.
constexpr Duration kLateFrame = std::chrono::microseconds(100);

SliceLog & log_in(Found & found, const Setting & setting, const char * owner)
{
  const Duration longest = setting.duration + 2 * setting.warm_up + kMatchPatience;
  return found.logs.emplace_back(
    owner, 3 * (static_cast<std::size_t>(longest / kFramePeriod) + 100));
}

/// Threads of priority 99 on each core that are due with the camera. They decide whether the host
/// made it late; the camera's own lateness decides nothing.
class FrameWitness
{
public:
  /// Starts them once the camera has begun. Blocks until then, or until `latest`.
  FrameWitness(const Shots & shots, const std::vector<int> & cores, Time latest)
  {
    while (shots.due_ns() == 0 && takt_rt::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    takt_trace::StallWitness::Grid grid;
    grid.period = kFramePeriod;
    grid.late = kLateFrame;
    const Time due = takt_rt::from_ns(shots.due_ns());
    grid.first = due + ((takt_rt::now() - due) / kFramePeriod + 2) * kFramePeriod;
    witness_.emplace(cores, takt_trace::StallWitness::Told{}, grid);
  }

  /// Adds the stalls, from the time at which an image was due. Waits up to one period.
  void stop(Found & found)
  {
    for (const takt_trace::Stall & stall : witness_->stop()) {
      if (stall.source != takt_trace::Stall::Source::throttled) {
        found.stalls_when_due.push_back({stall.certain_from, stall.end});
      }
    }
    found.stalls_without_room += witness_->unrecorded();
    found.stalls_seen = found.stalls_seen && !witness_->blind().has_value();
  }

private:
  std::optional<takt_trace::StallWitness> witness_;
};

}  // namespace

CameraLogs::CameraLogs(const Setting & setting, Found & found)
: camera(log_in(found, setting, "camera")),
  logger(log_in(found, setting, "data_logger")),
  detector(log_in(found, setting, "object_detect")),
  actuation(log_in(found, setting, "actuation"))
{
}

std::int64_t Shots::shoot(std::int64_t due_ns) noexcept
{
  const Time now = takt_rt::now();
  due_ns_.store(due_ns, std::memory_order_relaxed);
  if (last_ != Time{}) {
    log_.add(Slice::period, last_, now);
  }
  last_ = now;
  return takt_rt::to_ns(takt_rt::now());
}

ImageWork::ImageWork(const std::string & exercise, CameraLogs logs, StallNotes & stalls)
: logging_(logging_of(exercise)),
  logs_(logs),
  stalls_(stalls)
{
}

ImageWork::Logging ImageWork::logging_of(const std::string & exercise)
{
  using std::chrono::microseconds;
  if (exercise == "4-1") {
    return {1, microseconds(20'000), microseconds(35'000), microseconds(1000)};
  }
  if (exercise == "4-2") {
    return {1, microseconds(5000), microseconds(10'000), microseconds(1000)};
  }
  return {10, microseconds(100), microseconds(1000), microseconds(1000)};
}

Time ImageWork::start(std::int64_t image, SliceLog & log) noexcept
{
  const Time now = takt_rt::now();
  log.add(Slice::message_delay, takt_rt::from_ns(image), now);
  return now;
}

void ImageWork::log(std::int64_t image)
{
  const Time begin = start(image, logs_.logger);
  std::uniform_real_distribution<double> part(
    static_cast<double>(logging_.least_part.count()),
    static_cast<double>(logging_.most_part.count()));
  double work = 0.0;
  for (int i = 0; i < logging_.parts; ++i) {
    work += part(random_);
  }
  ThreadWitness::mine().burn(Duration(static_cast<std::int64_t>(work)), stalls_);
  std::this_thread::sleep_for(logging_.sleep);
  logs_.logger.add(Slice::data_logger, begin, takt_rt::now());
}

void ActuationWork::actuate(std::int64_t image)
{
  const Time begin = takt_rt::now();
  ThreadWitness::mine().burn(kActuate, stalls_);
  const Time now = takt_rt::now();
  log_.add(Slice::actuation, begin, now);
  log_.add(Slice::end_to_end_delay, takt_rt::from_ns(image), now);
}

Faults measure_camera(
  const Setting & setting, const Shots & shots, const StallNotes & stalls, const Spin & spin,
  Found & found)
{
  takt_trace::StallWitness witness(setting.cores);
  found.stalls_seen = !witness.blind().has_value();
  std::optional<FrameWitness> frames;
  std::optional<latency::Load> load;
  if (setting.stress) {
    load.emplace(setting.cores);
    found.refused = load->faults();
  }
  found.from = takt_rt::now() + setting.warm_up;
  found.to = found.from + setting.duration;
  const auto faults = spin(found.to + setting.warm_up, [&] {
    if (setting.exercise == "4-1") {  // the only one that is about the timer
      frames.emplace(shots, setting.cores, found.from);
    }
  });
  load.reset();
  found.stalls = takt_trace::host_spans(witness.stop());
  found.stalls_without_room = witness.unrecorded() + stalls.without_room();
  if (frames) {
    frames->stop(found);
  }
  const auto noticed = stalls.all();
  found.stalls.insert(found.stalls.end(), noticed.begin(), noticed.end());
  return faults.empty() ? Faults{} : Faults{faults.front()};
}

}  // namespace takt_bench::workshop
