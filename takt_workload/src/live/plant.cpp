#include "live/plant.hpp"

#include <algorithm>
#include <cmath>

namespace takt_workload
{

using takt_rt::Duration;
using takt_rt::Time;

namespace
{

// Without control it falls within a fraction of this: longer gaps, as of a suspended machine, need
// no steps.
constexpr Duration kLongestGap = std::chrono::seconds(1);

double in_seconds(Duration time) noexcept
{
  return std::chrono::duration<double>(time).count();
}

/// In rad/s²; up to 16.
double wind(double time) noexcept
{
  constexpr double kTurn = 2.0 * M_PI;
  return 10.0 * std::sin(kTurn * 0.7 * time) + 6.0 * std::sin(kTurn * 3.1 * time + 1.0);
}

}  // namespace

void Plant::start(Time now) noexcept
{
  begin_ = now_ = next_sample_ = now;
  falls_ = 0;
  set_up();
}

void Plant::set_up() noexcept
{
  down_until_ = Time{};
  angle_ = velocity_ = torque_ = 0.0;
}

void Plant::fall() noexcept
{
  ++falls_;
  angle_ = std::copysign(kFloor, angle_);
  velocity_ = torque_ = 0.0;
  down_until_ = now_ + kDown;
}

void Plant::advance(Time now) noexcept
{
  if (now - now_ > kLongestGap) {
    now_ = next_sample_ = now;
    if (stands()) {
      fall();
    }
    return;
  }
  while (now_ < now) {
    step(std::min(kStep, now - now_));
  }
}

void Plant::step(Duration length) noexcept
{
  if (stands()) {
    const double time = in_seconds(length);
    const double pull =
      kPole * kPole * std::sin(angle_) + torque_ + wind(in_seconds(now_ - begin_));
    velocity_ += pull * time;
    angle_ += velocity_ * time;
  }
  now_ += length;
  if (stands() && !(std::abs(angle_) < kFloor)) {
    fall();
  } else if (!stands() && now_ >= down_until_) {
    set_up();
  }
  if (now_ >= next_sample_) {
    next_sample_ += kSample;
    if (samples_ != nullptr) {
      samples_->try_push(static_cast<float>(angle_));
    }
  }
}

void Plant::hold(double torque) noexcept
{
  torque_ = stands() ? std::clamp(torque, -kStrongest, kStrongest) : 0.0;
}

double Controller::torque(
  const Plant & plant, const ControlSetting & setting, Duration passed) noexcept
{
  const double most = kFastest * in_seconds(passed);
  const double change = std::clamp(setting.setpoint - wanted_, -most, most);
  wanted_ += change;
  const double velocity = most > 0.0 ? kFastest * change / most : 0.0;
  return setting.kp * (wanted_ - plant.angle()) + setting.kd * (velocity - plant.velocity()) -
         Plant::kPole * Plant::kPole * std::sin(wanted_);
}

}  // namespace takt_workload
