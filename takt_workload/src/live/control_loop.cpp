#include "live/control_loop.hpp"

#include <utility>

namespace takt_workload
{

using takt_rt::Time;

ControlLoop::ControlLoop(takt_rt::CycleClock & clock, Compute compute)
: clock_(clock),
  compute_(std::move(compute)),
  plant_(&angles_)
{
}

void ControlLoop::start()
{
  begun_ = false;
  controller_.reset();
  latencies_.clear();
  latest_ = 0;
  reached_ = {};
  state_.write(reached_);
}

void ControlLoop::step(const takt_rt::Cycle & cycle) noexcept
{
  latencies_.record(cycle.latency);
  if (cycle.latency.count() > latest_.load(std::memory_order_relaxed)) {
    latest_.store(cycle.latency.count(), std::memory_order_relaxed);
  }
  // While another thread writes a new setting, this cycle uses the last one.
  static_cast<void>(setting_.try_get(used_));
  const Time measured = clock_.now();
  if (!begun_) {  // the start of a thread takes longer than the pendulum stands alone
    plant_.start(measured);
    last_ = measured;
    begun_ = true;
  }
  plant_.advance(measured);
  const std::uint64_t falls = plant_.falls();
  double torque = 0.0;
  if (plant_.stands()) {
    torque = controller_.torque(plant_, used_, measured - last_);
  } else {
    controller_.reset();
  }
  last_ = measured;
  compute_();
  const Time done = clock_.now();
  plant_.advance(done);
  if (plant_.falls() == falls) {  // else this torque is for a pendulum that has fallen meanwhile
    plant_.hold(torque);
  }
  ++reached_.cycles;
  reached_.missed += cycle.missed;
  reached_.late += done > cycle.release + kPeriod ? 1 : 0;
  reached_.wanted = controller_.wanted();
  reached_.angle = plant_.angle();
  reached_.torque = plant_.torque();
  reached_.stands = plant_.stands();
  reached_.falls = plant_.falls();
  state_.write(reached_);
}

}  // namespace takt_workload
