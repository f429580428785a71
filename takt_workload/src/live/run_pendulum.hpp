// The pendulum, live: plant and control loop in real time, a node whose parameters steer both, and
// a frame 20 times a second.
#ifndef LIVE__RUN_PENDULUM_HPP_
#define LIVE__RUN_PENDULUM_HPP_

#include <vector>

#include "live/live_stream.hpp"
#include "live/pendulum_node.hpp"
#include "takt_rt/time.hpp"

namespace takt_workload
{

/// The program's command line.
struct PendulumSetting
{
  PendulumParameters parameters{};
  takt_rt::Duration duration{};  ///< zero: until a signal or the end of the commands
  std::vector<int> cores{};      ///< with load
};

/// Writes a line of the kind `begun` for each variant, then frames, and at its end a line of the
/// kind `run`. Blocks. The calling thread holds the signals. Throws std::exception where it cannot
/// run.
void run_pendulum(const PendulumSetting & setting, LiveStream & stream);

}  // namespace takt_workload

#endif  // LIVE__RUN_PENDULUM_HPP_
