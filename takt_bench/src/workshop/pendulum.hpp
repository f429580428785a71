// The inverted pendulum of the workshop's exercises 2-1 to 2-3, and its controller.
//
// Model: alpha = g / l * sin(theta), one Euler step for each cycle, a floor at ±90 degrees from
// which the pendulum bounces. The motor sets the angular velocity. All functions are real-time
// safe; one thread.
#ifndef TAKT_BENCH__SRC__WORKSHOP__PENDULUM_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__PENDULUM_HPP_

#include <algorithm>
#include <cmath>

namespace takt_bench::workshop
{

/// The constants of a PID controller.
struct Gains
{
  double p = 10.0;
  double i = 0.1;
  double d = 0.5;
};

/// Angles in radians from upright; times in seconds.
class Pendulum
{
public:
  double angle() const noexcept { return angle_; }

  void step(double command, double seconds) noexcept
  {
    constexpr double kFloor = M_PI / 2;
    constexpr double kBounce = -0.4;
    constexpr double kGravity = 9.81;
    constexpr double kLength = 1.0;
    falling_ += kGravity / kLength * std::sin(angle_) * seconds;
    falling_ += command - last_command_;
    last_command_ = command;
    angle_ += falling_ * seconds;
    if (std::abs(angle_) > kFloor) {
      angle_ = std::copysign(kFloor, angle_);
      falling_ *= kBounce;
    }
  }

private:
  double angle_ = 0.0;
  double falling_ = 0.0;  // angular velocity
  double last_command_ = 0.0;
};

class Controller
{
public:
  /// The velocity for the motor.
  double command(double error, const Gains & gains, double seconds) noexcept
  {
    constexpr double kMostIntegral = 100.0;
    constexpr double kFastest = M_PI / 4;
    integral_ = std::clamp(integral_ + error * seconds, -kMostIntegral, kMostIntegral);
    const double change = seconds > 0.0 ? (error - last_error_) / seconds : 0.0;
    last_error_ = error;
    return std::clamp(
      gains.p * error + gains.i * integral_ + gains.d * change, -kFastest, kFastest);
  }

private:
  double integral_ = 0.0;
  double last_error_ = 0.0;
};

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__PENDULUM_HPP_
