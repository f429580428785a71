// The node `/pendulum`: its parameters, and the logger beside the control loop.
#ifndef LIVE__PENDULUM_NODE_HPP_
#define LIVE__PENDULUM_NODE_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <std_msgs/msg/float64.hpp>
#include <string>
#include <string_view>

#include "live/control_loop.hpp"
#include "run/work.hpp"
#include "takt_rcl/takt_rcl.hpp"

namespace takt_workload
{

/// Where the control loop runs.
enum class Variant
{
  executor,  ///< a timer of the executor, beside the logger
  other,     ///< a thread of its own under SCHED_OTHER
  realtime,  ///< a thread of its own under SCHED_FIFO
};

std::string_view name_of(Variant variant) noexcept;
std::optional<Variant> variant_of(std::string_view name) noexcept;

/// What the parameters begin with.
struct PendulumParameters
{
  Variant variant = Variant::realtime;
  bool load = true;
  ControlSetting control{};
};

/// Publishes the angle at 30 Hz, and logs it, which takes 20 to 35 ms of CPU time. Set-up only,
/// unless stated otherwise.
class PendulumNode : public takt_rcl::Node
{
public:
  PendulumNode(
    const std::shared_ptr<takt_rcl::Context> & context, ControlLoop & loop, const Work & work,
    const PendulumParameters & parameters);

  /// Parameters that the program itself obeys. Any thread.
  Variant variant() const noexcept { return variant_.load(); }
  bool load() const noexcept { return load_.load(); }
  ControlSetting control() { return loop_.setting().get(); }
  /// After the last cycle, for the messages. The thread of ControlLoop::state.
  void show(double angle) noexcept { angle_ = angle; }

private:
  takt_rcl::SetParametersResult judge(const std::vector<takt_rcl::Parameter> & values);
  void obey(const takt_rcl::Parameter & parameter);
  void log();

  ControlLoop & loop_;
  const Work & work_;
  std::mt19937 random_{31};
  std::atomic<Variant> variant_;
  std::atomic<bool> load_;
  std::atomic<double> angle_{0.0};
  std::shared_ptr<takt_rcl::OnSetParametersCallbackHandle> judge_;
  std::shared_ptr<takt_rcl::PostSetParametersCallbackHandle> obey_;
  takt_rcl::Publisher<std_msgs::msg::Float64>::SharedPtr angles_;
  takt_rcl::Subscription<std_msgs::msg::Float64>::SharedPtr logger_;
  takt_rcl::Timer::SharedPtr publish_;
};

}  // namespace takt_workload

#endif  // LIVE__PENDULUM_NODE_HPP_
