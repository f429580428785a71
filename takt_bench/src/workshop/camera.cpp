#include "workshop/camera.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <std_msgs/msg/int64.hpp>
#include <string>
#include <thread>
#include <vector>

#include "data_path/client.hpp"
#include "takt_rcl/takt_rcl.hpp"
#include "takt_schedule/parse.hpp"
#include "workshop/camera_work.hpp"

namespace takt_bench::workshop
{

using std_msgs::msg::Int64;
using takt_rt::Faults;
using takt_rt::Result;
using takt_rt::Time;

namespace
{

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
    shots_(log),
    images_(create_publisher<Int64>("/image", kImageDepth)),
    timer_(create_wall_timer(kFramePeriod, [this](const takt_rcl::TimerInfo & info) {
      image_.data = shots_.shoot(info.expected_call_time.nanoseconds());
      images_->publish(image_);
    }))
  {
  }

  bool match() { return images_->wait_for_matched(2, kMatchPatience); }

  const Shots & shots() const noexcept { return shots_; }

private:
  Shots shots_;
  Int64 image_;
  takt_rcl::Publisher<Int64>::SharedPtr images_;
  takt_rcl::Timer::SharedPtr timer_;
};

class Perception : public takt_rcl::Node
{
public:
  Perception(
    const std::shared_ptr<takt_rcl::Context> & context, const Setting & setting, CameraLogs logs,
    bool logger_apart, StallNotes & stalls)
  : Node("perception", options_of(context)),
    work_(setting.exercise, logs, stalls),
    actuations_(create_publisher<Int64>("/actuation", kImageDepth))
  {
    logger_group = create_callback_group(
      takt_rcl::CallbackGroupType::MutuallyExclusive, !logger_apart, "best_effort");
    detector_group =
      create_callback_group(takt_rcl::CallbackGroupType::MutuallyExclusive, "realtime");
    takt_rcl::SubscriptionOptions options;
    options.callback_group = logger_group;
    logger_ = create_subscription<Int64>(
      "/image", kImageDepth, [this](const Int64 & image) { work_.log(image.data); }, options);
    options.callback_group = detector_group;
    detector_ = create_subscription<Int64>(
      "/image", kImageDepth, [this](const Int64 & image) { detect(image); }, options);
  }

  bool match() { return actuations_->wait_for_matched(1, kMatchPatience); }

  takt_rcl::CallbackGroup::SharedPtr logger_group, detector_group;

private:
  void detect(const Int64 & image)
  {
    work_.detect(image.data, [this](std::int64_t taken) {
      actuation_.data = taken;
      actuations_->publish(actuation_);
    });
  }

  ImageWork work_;
  Int64 actuation_;
  takt_rcl::Publisher<Int64>::SharedPtr actuations_;
  takt_rcl::Subscription<Int64>::SharedPtr logger_, detector_;
};

class Actuation : public takt_rcl::Node
{
public:
  Actuation(const std::shared_ptr<takt_rcl::Context> & context, SliceLog & log, StallNotes & stalls)
  : Node("actuation", options_of(context)),
    work_(log, stalls),
    actuations_(create_subscription<Int64>(
      "/actuation", kImageDepth, [this](const Int64 & image) { work_.actuate(image.data); }))
  {
  }

private:
  ActuationWork work_;
  takt_rcl::Subscription<Int64>::SharedPtr actuations_;
};

/// The executors of the schedule by name.
using Executors = std::map<std::string, takt_rcl::Executor>;

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
  const CameraLogs logs(setting, *found);
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
  const auto camera = std::make_shared<Camera>(context, logs.camera);
  const auto perception =
    std::make_shared<Perception>(context, setting, logs, apart != executors.end(), stalls);
  const auto actuation = std::make_shared<Actuation>(context, logs.actuation, stalls);
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
  Faults refused;
  const Spin spin_all = [&](Time until, const std::function<void()> & meanwhile) {
    auto faults = spin(executors, until, meanwhile);
    add_refusals(executors, refused);
    return faults;
  };
  const Faults faults = measure_camera(setting, camera->shots(), stalls, spin_all, *found);
  executors.clear();
  if (!faults.empty()) {
    return faults;
  }
  found->refused.insert(found->refused.end(), refused.begin(), refused.end());
  return found;
}

}  // namespace takt_bench::workshop
