// A camera, a detector of its images and an actuation, with a logger beside them, in one namespace.
//
//     camera: timer 30 Hz --image--> perception: logger, detector --actuation--> actuation
//
// The logger subscribes before the detector: 1 to 10 ms of CPU time and 1 ms of sleep, the detector
// 3 ms, the actuation 150 us.
#ifndef LIVE__CAMERA_GRAPH_HPP_
#define LIVE__CAMERA_GRAPH_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/work.hpp"
#include "takt_rcl/takt_rcl.hpp"
#include "takt_rt/histogram.hpp"
#include "takt_rt/spsc_ring.hpp"
#include "takt_rt/time.hpp"

namespace takt_workload
{

/// An image that led to an actuation.
struct SeenImage
{
  takt_rt::Time released{};  ///< nominally, by the camera's timer
  takt_rt::Time actuated{};  ///< at its end
};

/// The account of a graph's runs. Its callbacks write it, and one thread that watches reads it.
struct SeenImages
{
  static constexpr std::size_t kWaiting = 4096;  ///< images between two looks

  std::atomic<std::uint64_t> released{0};
  takt_rt::SpscRing<SeenImage> actuated{
    kWaiting};  ///< the actuation's callbacks exclude each other
};

class CameraGraph
{
public:
  static constexpr takt_rt::Duration kPeriod = std::chrono::nanoseconds(33'333'333);
  /// The planned side is proven to need 3.6 ms; the logger alone takes 2 to 11 ms.
  static constexpr takt_rt::Duration kDeadline = std::chrono::milliseconds(8);

  /// Makes the nodes /`side`/camera and so on; `offset` of the camera's first image from the start.
  /// Set-up only.
  CameraGraph(
    const std::shared_ptr<takt_rcl::Context> & context, const std::string & side,
    takt_rt::Duration offset, const Work & work);
  ~CameraGraph();

  /// Set-up only. May block until the nodes have found each other; false: they did not within 30 s.
  bool match();
  const std::vector<std::shared_ptr<takt_rcl::Node>> & nodes() const noexcept { return nodes_; }
  SeenImages & seen() noexcept { return seen_; }
  /// Images so far. Any thread.
  std::uint64_t released() const noexcept { return seen_.released.load(std::memory_order_relaxed); }

private:
  class Camera;
  class Perception;
  class Actuation;

  SeenImages seen_;
  std::shared_ptr<Camera> camera_;
  std::shared_ptr<Perception> perception_;
  std::vector<std::shared_ptr<takt_rcl::Node>> nodes_;
};

}  // namespace takt_workload

#endif  // LIVE__CAMERA_GRAPH_HPP_
