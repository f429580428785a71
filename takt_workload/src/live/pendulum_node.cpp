#include "live/pendulum_node.hpp"

#include <array>
#include <utility>
#include <vector>

#include "live/parameters.hpp"

namespace takt_workload
{

using std_msgs::msg::Float64;
using takt_rt::Duration;

namespace
{

constexpr std::array<std::pair<Variant, std::string_view>, 3> kVariants{
  {{Variant::executor, "executor"}, {Variant::other, "other"}, {Variant::realtime, "realtime"}}};
constexpr Duration kPublish = std::chrono::nanoseconds(33'333'333);
constexpr Duration kShortestLog = std::chrono::milliseconds(20);
constexpr Duration kLongestLog = std::chrono::milliseconds(35);
constexpr double kFarthest = 0.3;      // rad
constexpr double kStiffest = 400'000;  // 1/s²
constexpr double kMostDamped = 1'500;  // 1/s

takt_rcl::NodeOptions options_of(const std::shared_ptr<takt_rcl::Context> & context)
{
  takt_rcl::NodeOptions options;
  options.context(context);
  return options;
}

}  // namespace

std::string_view name_of(Variant variant) noexcept
{
  for (const auto & [each, name] : kVariants) {
    if (each == variant) {
      return name;
    }
  }
  return "";
}

std::optional<Variant> variant_of(std::string_view name) noexcept
{
  for (const auto & [variant, each] : kVariants) {
    if (each == name) {
      return variant;
    }
  }
  return std::nullopt;
}

PendulumNode::PendulumNode(
  const std::shared_ptr<takt_rcl::Context> & context, ControlLoop & loop, const Work & work,
  const PendulumParameters & parameters)
: Node("pendulum", options_of(context)),
  loop_(loop),
  work_(work),
  variant_(parameters.variant),
  load_(parameters.load)
{
  const ControlSetting & control = parameters.control;
  loop.setting().set(control);
  declare_parameter(
    "variant", std::string(name_of(parameters.variant)),
    described("where the control loop runs: executor, other or realtime"));
  declare_parameter("load", parameters.load, described("busy threads on each core"));
  declare_parameter("setpoint", control.setpoint, in_range("angle in rad", -kFarthest, kFarthest));
  declare_parameter("kp", control.kp, in_range("gain of the error, in 1/s^2", 0.0, kStiffest));
  declare_parameter("kd", control.kd, in_range("gain of the velocity, in 1/s", 0.0, kMostDamped));
  judge_ = add_on_set_parameters_callback(
    [this](const std::vector<takt_rcl::Parameter> & values) { return judge(values); });
  obey_ = add_post_set_parameters_callback([this](const std::vector<takt_rcl::Parameter> & values) {
    for (const takt_rcl::Parameter & each : values) {
      obey(each);
    }
  });
  angles_ = create_publisher<Float64>("~/angle", 10);
  logger_ = create_subscription<Float64>("~/angle", 10, [this](const Float64 &) { log(); });
  publish_ = create_wall_timer(kPublish, [this] {
    Float64 message;
    message.data = angle_;
    angles_->publish(message);
  });
}

takt_rcl::SetParametersResult PendulumNode::judge(const std::vector<takt_rcl::Parameter> & values)
{
  takt_rcl::SetParametersResult result;
  result.successful = true;
  for (const takt_rcl::Parameter & each : values) {
    if (each.get_name() == "variant" && !variant_of(each.as_string())) {
      result.successful = false;
      result.reason = "variant '" + each.as_string() + "' is not executor, other or realtime";
    }
  }
  return result;
}

void PendulumNode::obey(const takt_rcl::Parameter & parameter)
{
  const std::string & name = parameter.get_name();
  if (name == "variant") {
    variant_ = variant_of(parameter.as_string()).value_or(Variant::realtime);
  } else if (name == "load") {
    load_ = parameter.as_bool();
  } else if (name == "setpoint" || name == "kp" || name == "kd") {
    loop_.setting().with([&](ControlSetting & now) {
      (name == "setpoint" ? now.setpoint : name == "kp" ? now.kp : now.kd) = parameter.as_double();
    });
  }
}

void PendulumNode::log()
{
  std::uniform_int_distribution<std::int64_t> length(kShortestLog.count(), kLongestLog.count());
  static_cast<void>(work_.use(Duration(length(random_))));
}

}  // namespace takt_workload
