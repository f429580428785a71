#include "live/run_pendulum.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "live/burners.hpp"
#include "live/latencies_json.hpp"
#include "live/parameters.hpp"
#include "live/spinning.hpp"
#include "records/thread_text.hpp"
#include "takt_rt/application/application.hpp"

namespace takt_workload
{

using nlohmann::ordered_json;
using takt_rt::Duration;
using takt_rt::Time;

namespace
{

constexpr int kPriority = 80;
// So many that an ordinary thread with 15 % of work waits for the scheduler's tick most of the
// time, and now and then for 10 to 20 ms (measured with kernel 6.18).
constexpr int kBurners = 6;
// ROS 2's single-threaded executor: one ordinary thread for the logger, the services of parameters
// and, in one variant, the control loop.
constexpr const char * kSchedule = R"(version: 1
executors:
  main:
    order: stock
    threads: {executor: {}}
    default: executor
)";

/// The kernel's answer to the thread that runs the control loop.
struct Rights
{
  std::string granted;
  std::vector<std::string> refused;
};

/// The control loop while one of the variants runs.
class RunningControl
{
public:
  RunningControl(
    Variant variant, ControlLoop & loop, PendulumNode & node, takt_rcl::Executor & executor)
  {
    loop.start();
    if (variant == Variant::executor) {
      timer_ =
        node.create_wall_timer(ControlLoop::kPeriod, [&loop](const takt_rcl::TimerInfo & info) {
          const Time release = takt_rt::from_ns(info.expected_call_time.nanoseconds());
          loop.step({release, takt_rt::now() - release, info.skipped});
        });
      const auto reports = executor.core().attributes();
      rights = {describe_without_cores(reports.front().granted), {}};
      return;
    }
    takt_rt::CyclicOptions options;
    options.period = ControlLoop::kPeriod;
    options.attributes.name = "control";
    options.attributes.policy = takt_rt::Policy::other;
    if (variant == Variant::realtime) {
      options.attributes.policy = takt_rt::Policy::fifo;
      options.attributes.priority = kPriority;
    }
    application_.emplace();
    application_->add(options, [&loop](const takt_rt::Cycle & cycle) { loop.step(cycle); });
    const auto started = application_->start();
    if (!started) {
      throw std::runtime_error(sentences(started.faults()).front());
    }
    rights = {
      describe_without_cores(application_->threads().front()->report().granted),
      sentences(started->refused)};
  }

  Rights rights;

private:
  takt_rcl::Timer::SharedPtr timer_;
  std::optional<takt_rt::Application> application_;
};

class Live
{
public:
  Live(const PendulumSetting & setting, LiveStream & stream)
  : setting_(setting),
    stream_(stream),
    work_(Work::calibrate()),
    loop_(clock_, [this] { static_cast<void>(work_.use(ControlLoop::kWork)); }),
    context_(make_context()),
    node_(std::make_shared<PendulumNode>(context_, loop_, work_, setting.parameters)),
    spinning_(context_, parsed_schedule(kSchedule))
  {
    spinning_.first().add_node(node_);
    spinning_.start();
  }

  void run()
  {
    const auto set = [this](const nlohmann::json & values) {
      return set_parameters(*node_, values);
    };
    follow_load();
    begin();
    // Of the time before, the control loop has nothing.
    const Time end = setting_.duration > Duration{} ? began_ + setting_.duration : Time::max();
    Time next = takt_rt::now();
    do {
      if (node_->variant() != variant_) {
        finish();
        begin();
      }
      follow_load();
      spinning_.check();
      frame();
      next = std::max(next + LiveStream::kFrame, takt_rt::now());
    } while (stream_.wait(std::min(next, end), set) && takt_rt::now() < end);
    frame();
    finish();
  }

private:
  void follow_load()
  {
    if (!node_->load()) {
      burners_.reset();
    } else if (!burners_) {
      burners_.emplace(setting_.cores, kBurners);
    }
  }

  void begin()
  {
    variant_ = node_->variant();
    loaded_ = true;
    control_.emplace(variant_, loop_, *node_, spinning_.first());
    began_ = takt_rt::now();  // it locked memory before, which takes up to a second under load
    stream_.write(
      "begun", {{"variant", name_of(variant_)},
                {"period_ns", ControlLoop::kPeriod.count()},
                {"sample_ns", Plant::kSample.count()},
                {"floor_rad", Plant::kFloor},
                {"granted", control_->rights.granted},
                {"refused", control_->rights.refused}});
  }

  void frame()
  {
    const ControlState state = loop_.state();
    node_->show(state.angle);
    const ControlSetting control = node_->control();
    ordered_json angles = ordered_json::array();
    for (float angle = 0.0F; loop_.angles().try_pop(angle);) {
      angles.push_back(std::round(static_cast<double>(angle) * 1e5) / 1e5);
    }
    loaded_ = loaded_ && burners_.has_value();
    stream_.write(
      "frame", {{"time_ns", (takt_rt::now() - began_).count()},
                {"variant", name_of(variant_)},
                {"load", burners_.has_value()},
                {"setpoint", control.setpoint},
                {"kp", control.kp},
                {"kd", control.kd},
                {"wanted", state.wanted},
                {"angles", std::move(angles)},
                {"stands", state.stands},
                {"latest_ns", loop_.take_latest().count()},
                {"cycles", state.cycles},
                {"missed", state.missed},
                {"late", state.late},
                {"falls", state.falls}});
  }

  void finish()
  {
    const Rights rights = control_->rights;
    const Duration duration = takt_rt::now() - began_;
    control_.reset();
    const ControlState state = loop_.state();
    stream_.write(
      "run", {{"variant", name_of(variant_)},
              {"duration_ns", duration.count()},
              {"load", loaded_},
              {"granted", rights.granted},
              {"refused", rights.refused},
              {"cycles", state.cycles},
              {"missed", state.missed},
              {"late", state.late},
              {"falls", state.falls},
              {"wakeup", latencies_json(loop_.latencies())}});
  }

  const PendulumSetting & setting_;
  LiveStream & stream_;
  const Work work_;
  takt_rt::RealClock clock_;
  ControlLoop loop_;
  std::shared_ptr<takt_rcl::Context> context_;
  std::shared_ptr<PendulumNode> node_;
  Spinning spinning_;
  std::optional<Burners> burners_;
  Variant variant_ = Variant::realtime;
  Time began_{};
  bool loaded_ = true;                     // all the time
  std::optional<RunningControl> control_;  // last: no cycle runs when the others end
};

}  // namespace

void run_pendulum(const PendulumSetting & setting, LiveStream & stream)
{
  Live(setting, stream).run();
}

}  // namespace takt_workload
