// Exercise 3-1 with nodes and executors of rclcpp, without takt's.
#ifndef TAKT_BENCH__SRC__WORKSHOP__CAMERA_RCLCPP_HPP_
#define TAKT_BENCH__SRC__WORKSHOP__CAMERA_RCLCPP_HPP_

#include <memory>

#include "takt_rt/result.hpp"
#include "workshop/found.hpp"
#include "workshop/setting.hpp"

namespace takt_bench::workshop
{

/// Runs the nodes of camera.hpp on two of rclcpp's single-threaded executors: the camera's at FIFO
/// 90, the others' at FIFO 20. Blocks for the duration.
takt_rt::Result<std::unique_ptr<Found>> run_camera_rclcpp(const Setting & setting);

}  // namespace takt_bench::workshop

#endif  // TAKT_BENCH__SRC__WORKSHOP__CAMERA_RCLCPP_HPP_
