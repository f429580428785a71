// Exercises 3-1 to 4-2: a camera, a logger and a detector of its images, and an actuation.
//
//     /camera:timer --/image--> /perception: data logger, object detector
//     object detector --/actuation--> /actuation
//
// The nodes are the same in all exercises and variants, but for the logger's work. The logger
// subscribes before the detector.
#ifndef TAKT_BENCH__SRC__WORKSHOP__CAMERA_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__CAMERA_HPP_

#include <memory>

#include "takt_rt/result.hpp"
#include "workshop/found.hpp"
#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

/// Runs the nodes on takt_rcl's executors under the setting's schedule. Each executor of the file
/// spins on a thread: `main`; `camera` with the camera, if there is one; `best_effort` with the
/// logger's group, if there is one. Blocks for the duration.
takt_rt::Result<std::unique_ptr<Found>> run_camera(const Setting & setting);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__CAMERA_HPP_
