// The camera's graph twice at once, live: under ROS 2's single-threaded executor, and under a
// planned schedule.
#ifndef LIVE__RUN_CAMERA_HPP_
#define LIVE__RUN_CAMERA_HPP_

#include <string>
#include <vector>

#include "live/live_stream.hpp"
#include "takt_rt/time.hpp"

namespace takt_workload
{

/// The program's command line.
struct CameraSetting
{
  std::string schedule{};        ///< file; its one executor runs the side `planned`
  takt_rt::Duration duration{};  ///< zero: until a signal or the end of the commands
  std::vector<int> cores{};      ///< with load
  bool load = true;
};

/// Writes a line of the kind `begun`, then frames, and at the end a line of the kind `run` for each
/// side. Blocks. The calling thread holds the signals. Throws std::exception where it cannot run.
void run_camera(const CameraSetting & setting, LiveStream & stream);

}  // namespace takt_workload

#endif  // LIVE__RUN_CAMERA_HPP_
