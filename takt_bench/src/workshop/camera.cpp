#include "workshop/camera.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <std_msgs/msg/int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "data_path/client.hpp"
#include "latency/load.hpp"
#include "takt_rcl/takt_rcl.hpp"
#include "takt_schedule/parse.hpp"
#include "takt_trace/stall_witness.hpp"
#include "workshop/burn.hpp"

namespace takt_bench::workshop
{

using std_msgs::msg::Int64;
using takt_rt::Duration;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::Time;

namespace
{

constexpr Duration kFramePeriod = std::chrono::nanoseconds(33'333'333);
constexpr Duration kDetect = std::chrono::milliseconds(3);
constexpr Duration kActuate = std::chrono::microseconds(150);
constexpr Duration kPatience = std::chrono::seconds(30);
// A thread of priority 99 that is due with the camera and as late as this shows that the host had
// the core.
constexpr Duration kLateFrame = std::chrono::microseconds(100);
constexpr std::size_t kDepth = 10;

/// The logger's work: random parts, and a sleep, as if it wrote to a disk. As the workshop's.
struct Logging
{
  int parts;
  Duration least_part;
  Duration most_part;
  Duration sleep;
};

Logging logging_of(const std::string & exercise)
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

takt_rcl::NodeOptions options_of(const std::shared_ptr<takt_rcl::Context> & context)
{
  takt_rcl::NodeOptions options;
  options.context(context).enable_rosout(false);
  options.start_parameter_services(false);
  return options;
}

class Camera : public takt_rcl::Node
{
public:
  Camera(const std::shared_ptr<takt_rcl::Context> & context, SliceLog & log)
  : Node("camera", options_of(context)),
    log_(log),
    images_(create_publisher<Int64>("/image", kDepth)),
    timer_(
      create_wall_timer(kFramePeriod, [this](const takt_rcl::TimerInfo & info) { shoot(info); }))
  {
  }

  bool match() { return images_->wait_for_matched(2, kPatience); }

  /// When the last image was due; 0: there was none. The others are due whole periods later. Any
  /// thread.
  std::int64_t due_ns() const noexcept { return due_ns_.load(std::memory_order_relaxed); }

private:
  void shoot(const takt_rcl::TimerInfo & info)
  {
    const Time now = takt_rt::now();
    due_ns_.store(info.expected_call_time.nanoseconds(), std::memory_order_relaxed);
    if (last_ != Time{}) {
      log_.add(Slice::period, last_, now);
    }
    last_ = now;
    image_.data = takt_rt::to_ns(takt_rt::now());
    images_->publish(image_);
  }

  SliceLog & log_;
  std::atomic<std::int64_t> due_ns_{0};
  Time last_{};
  Int64 image_;
  takt_rcl::Publisher<Int64>::SharedPtr images_;
  takt_rcl::Timer::SharedPtr timer_;
};

/// The logs of the three callbacks that take messages.
struct Logs
{
  SliceLog & logger;
  SliceLog & detector;
  SliceLog & actuation;
};

class Perception : public takt_rcl::Node
{
public:
  Perception(
    const std::shared_ptr<takt_rcl::Context> & context, const Setting & setting, Logs logs,
    bool logger_apart, StallNotes & stalls)
  : Node("perception", options_of(context)),
    logging_(logging_of(setting.exercise)),
    logs_(logs),
    stalls_(stalls),
    actuations_(create_publisher<Int64>("/actuation", kDepth))
  {
    logger_group = create_callback_group(
      takt_rcl::CallbackGroupType::MutuallyExclusive, !logger_apart, "best_effort");
    detector_group =
      create_callback_group(takt_rcl::CallbackGroupType::MutuallyExclusive, "realtime");
    takt_rcl::SubscriptionOptions options;
    options.callback_group = logger_group;
    logger_ = create_subscription<Int64>(
      "/image", kDepth, [this](const Int64 & image) { log(image); }, options);
    options.callback_group = detector_group;
    detector_ = create_subscription<Int64>(
      "/image", kDepth, [this](const Int64 & image) { detect(image); }, options);
  }

  bool match() { return actuations_->wait_for_matched(1, kPatience); }

  takt_rcl::CallbackGroup::SharedPtr logger_group, detector_group;

private:
  void log(const Int64 & image)
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
    end(Slice::data_logger, begin, logs_.logger);
  }

  void detect(const Int64 & image)
  {
    const Time begin = start(image, logs_.detector);
    ThreadWitness::mine().burn(kDetect, stalls_);
    actuation_.data = image.data;
    actuations_->publish(actuation_);
    end(Slice::object_detect, begin, logs_.detector);
  }

  Time start(const Int64 & image, SliceLog & log)
  {
    const Time now = takt_rt::now();
    const Time published = takt_rt::from_ns(image.data);
    log.add(Slice::message_delay, published, now);
    return now;
  }

  void end(Slice slice, Time begin, SliceLog & log) { log.add(slice, begin, takt_rt::now()); }

  const Logging logging_;
  Logs logs_;
  StallNotes & stalls_;
  std::mt19937 random_{2023};  // the same work in each run
  Int64 actuation_;
  takt_rcl::Publisher<Int64>::SharedPtr actuations_;
  takt_rcl::Subscription<Int64>::SharedPtr logger_, detector_;
};

class Actuation : public takt_rcl::Node
{
public:
  Actuation(const std::shared_ptr<takt_rcl::Context> & context, SliceLog & log, StallNotes & stalls)
  : Node("actuation", options_of(context)),
    log_(log),
    stalls_(stalls),
    actuations_(create_subscription<Int64>(
      "/actuation", kDepth, [this](const Int64 & image) { actuate(image); }))
  {
  }

private:
  void actuate(const Int64 & image)
  {
    const Time begin = takt_rt::now();
    ThreadWitness::mine().burn(kActuate, stalls_);
    const Time now = takt_rt::now();
    log_.add(Slice::actuation, begin, now);
    log_.add(Slice::end_to_end_delay, takt_rt::from_ns(image.data), now);
  }

  SliceLog & log_;
  StallNotes & stalls_;
  takt_rcl::Subscription<Int64>::SharedPtr actuations_;
};

/// The executors of the schedule by name.
using Executors = std::map<std::string, takt_rcl::Executor>;

/// Threads of priority 99 on each core that are due with the camera. They decide whether the host
/// made it late; the camera's own lateness decides nothing.
class FrameWitness
{
public:
  /// Starts them once the camera has begun. Blocks until then, or until `latest`.
  FrameWitness(const Camera & camera, const std::vector<int> & cores, Time latest)
  {
    while (camera.due_ns() == 0 && takt_rt::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    takt_trace::StallWitness::Grid grid;
    grid.period = kFramePeriod;
    grid.late = kLateFrame;
    const Time due = takt_rt::from_ns(camera.due_ns());
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

/// Spins each on a thread of its own, and calls `meanwhile`. Returns the sentences of exceptions
/// that ended a spin.
std::vector<std::string> spin(
  Executors & executors, Time until, const std::function<void()> & meanwhile)
{
  std::vector<std::string> faults;
  std::vector<std::string> each(executors.size());
  std::vector<std::thread> threads;
  std::size_t number = 0;
  for (auto & [name, executor] : executors) {
    threads.emplace_back([&executor, &fault = each[number++]] {
      try {
        executor.spin();
      } catch (const std::exception & error) {
        fault = error.what();
      }
    });
  }
  meanwhile();
  std::this_thread::sleep_until(until);
  for (auto & [name, executor] : executors) {
    executor.cancel();
  }
  for (std::thread & thread : threads) {
    thread.join();
  }
  for (std::string & fault : each) {
    if (!fault.empty()) {
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

void add_refusals(Executors & executors, Faults & to)
{
  for (auto & [name, executor] : executors) {
    for (const takt_rt::AttributeReport & report : executor.core().attributes()) {
      to.insert(to.end(), report.faults.begin(), report.faults.end());
    }
    // A thread with a fallback asks for that, which nothing refuses.
    for (const takt_rt::Fault & warning : executor.schedule_warnings()) {
      if (
        warning.kind == takt_rt::FaultKind::fallback ||
        warning.kind == takt_rt::FaultKind::refusal) {
        to.push_back(warning);
      }
    }
  }
}

}  // namespace

Result<std::unique_ptr<Found>> run_camera(const Setting & setting)
{
  const auto schedule = takt_schedule::load_schedule(setting.schedule);
  if (!schedule) {
    return schedule.faults();
  }
  auto found = std::make_unique<Found>();
  const std::size_t room =
    3 *
    (static_cast<std::size_t>((setting.duration + 2 * setting.warm_up + kPatience) / kFramePeriod) +
     100);
  const auto log = [&](const char * owner) -> SliceLog & {
    return found->logs.emplace_back(owner, room);
  };
  StallNotes stalls;
  const auto context = data_path::make_context();
  Executors executors;
  for (const takt_schedule::ExecutorSchedule & each : schedule->executors) {
    executors.emplace(
      each.name, takt_rcl::Executor::from_schedule(context, schedule.value(), each.name));
  }
  if (executors.count("main") == 0) {
    return Faults{setting.schedule + ": there is no executor 'main'"};
  }
  const auto apart = executors.find("best_effort");
  const auto camera = std::make_shared<Camera>(context, log("camera"));
  const auto perception = std::make_shared<Perception>(
    context, setting, Logs{log("data_logger"), log("object_detect"), log("actuation")},
    apart != executors.end(), stalls);
  const auto actuation = std::make_shared<Actuation>(context, found->logs.back(), stalls);
  if (!camera->match() || !perception->match()) {
    return Faults{"the nodes of the exercise did not find each other"};
  }
  const auto of_camera = executors.find("camera");
  (of_camera == executors.end() ? executors.at("main") : of_camera->second).add_node(camera);
  executors.at("main").add_node(perception);
  executors.at("main").add_node(actuation);
  if (apart != executors.end()) {
    apart->second.add_callback_group(perception->logger_group, perception);
  }
  takt_trace::StallWitness witness(setting.cores);
  found->stalls_seen = !witness.blind().has_value();
  std::optional<FrameWitness> frames;
  std::optional<latency::Load> load;
  if (setting.stress) {
    load.emplace(setting.cores);
    found->refused = load->faults();
  }
  found->from = takt_rt::now() + setting.warm_up;
  found->to = found->from + setting.duration;
  const auto faults = spin(executors, found->to + setting.warm_up, [&] {
    if (setting.exercise == "4-1") {  // the only one that is about the timer
      frames.emplace(*camera, setting.cores, found->from);
    }
  });
  add_refusals(executors, found->refused);
  load.reset();
  found->stalls = takt_trace::host_spans(witness.stop());
  found->stalls_without_room = witness.unrecorded() + stalls.without_room();
  if (frames) {
    frames->stop(*found);
  }
  executors.clear();
  if (!faults.empty()) {
    return Faults{faults.front()};
  }
  const auto noticed = stalls.all();
  found->stalls.insert(found->stalls.end(), noticed.begin(), noticed.end());
  return found;
}

}  // namespace takt_bench::workshop
