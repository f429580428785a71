// An inverted pendulum in real time: gravity pulls it down, a motor at its joint holds it up, and a
// wind disturbs both.
//
// angle'' = pole² · sin(angle) + torque + wind, in small fixed steps. The torque is held until the
// next one, so that a late controller finds the pendulum where the old torque has left it. It falls
// at `floor`, lies there for a time, and is then set up again. One thread; real-time safe.
#ifndef LIVE__PLANT_HPP_
#define LIVE__PLANT_HPP_

#include <cstdint>

#include "takt_rt/spsc_ring.hpp"
#include "takt_rt/time.hpp"

namespace takt_workload
{

class Plant
{
public:
  /// 1/s: a rod of 2.5 cm; it falls 2.7 times as far in 50 ms.
  static constexpr double kPole = 20.0;
  static constexpr double kStrongest = 100'000.0;  ///< rad/s², of the motor
  static constexpr double kFloor = 0.6;            ///< rad from upright, to either side
  static constexpr takt_rt::Duration kStep = std::chrono::microseconds(50);
  static constexpr takt_rt::Duration kDown = std::chrono::milliseconds(700);
  static constexpr takt_rt::Duration kSample = std::chrono::milliseconds(5);

  /// Writes the angle at each sample into `samples`; nullptr: nowhere. A full ring drops it.
  explicit Plant(takt_rt::SpscRing<float> * samples = nullptr) : samples_(samples) {}

  /// Upright and at rest; no falls. Time begins.
  void start(takt_rt::Time now) noexcept;
  /// Moves on to `now` with the torque that is held.
  void advance(takt_rt::Time now) noexcept;
  /// The torque from now on, in rad/s². The motor gives at most kStrongest.
  void hold(double torque) noexcept;

  double angle() const noexcept { return angle_; }
  double velocity() const noexcept { return velocity_; }
  double torque() const noexcept { return torque_; }
  bool stands() const noexcept { return down_until_ == takt_rt::Time{}; }
  std::uint64_t falls() const noexcept { return falls_; }

private:
  void set_up() noexcept;
  void fall() noexcept;
  void step(takt_rt::Duration length) noexcept;

  takt_rt::SpscRing<float> * const samples_;
  takt_rt::Time begin_{}, now_{}, next_sample_{};
  takt_rt::Time down_until_{};  // zero: it stands
  double angle_ = 0.0, velocity_ = 0.0, torque_ = 0.0;
  std::uint64_t falls_ = 0;
};

/// The set point and the gains of the controller.
struct ControlSetting
{
  double setpoint = 0.0;  ///< rad
  double kp = 200'000.0;  ///< 1/s²
  double kd = 900.0;      ///< 1/s
};

/// Proportional to the error and to the velocity. With the gains above and cycles of T it is stable
/// for kd · T < 2, which is 2.2 ms. One thread; real-time safe.
class Controller
{
public:
  /// The largest speed of the set point: for a jump the motor is too weak.
  static constexpr double kFastest = 0.5;  ///< rad/s

  /// The torque for a pendulum that stands; `passed` since the last call.
  double torque(
    const Plant & plant, const ControlSetting & setting, takt_rt::Duration passed) noexcept;
  /// Begins from upright.
  void reset() noexcept { wanted_ = 0.0; }
  /// Where it holds the pendulum, on the way to the set point.
  double wanted() const noexcept { return wanted_; }

private:
  double wanted_ = 0.0;
};

}  // namespace takt_workload

#endif  // LIVE__PLANT_HPP_
