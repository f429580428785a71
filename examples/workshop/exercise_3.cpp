// Exercises 3-1 and 3-2: the logger, which subscribed first, delays the detector.
//
// The camera has a thread of its own at FIFO 90, everything else one executor with one thread.
// Ctrl-C ends the program, and it prints its times.
#include "camera_nodes.hpp"

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  const auto camera = std::make_shared<workshop::Camera>();
  const auto perception = std::make_shared<workshop::Perception>(workshop::Logging{
    10, std::chrono::microseconds(100), std::chrono::milliseconds(1),
    std::chrono::milliseconds(1)});
  const auto actuation = std::make_shared<workshop::Actuation>();

  rclcpp::executors::SingleThreadedExecutor of_camera, of_others;
  of_camera.add_node(camera);
  of_others.add_node(perception);
  of_others.add_node(actuation);
  std::thread camera_thread([&of_camera] {
    workshop::become_realtime(90);
    of_camera.spin();
  });
  of_others.spin();
  camera_thread.join();
  rclcpp::shutdown();
}
