// Exercise 4-1: a timer in one executor with long callbacks. Ctrl-C ends the program, and it prints
// its times.
#include "camera_nodes.hpp"

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  const auto camera = std::make_shared<workshop::Camera>();
  const auto perception = std::make_shared<workshop::Perception>(workshop::Logging{
    1, std::chrono::milliseconds(20), std::chrono::milliseconds(35), std::chrono::milliseconds(1)});
  const auto actuation = std::make_shared<workshop::Actuation>();

  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(camera);
  executor.add_node(perception);
  executor.add_node(actuation);
  executor.spin();
  rclcpp::shutdown();
}
