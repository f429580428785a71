// The nodes on rclcpp, as a program that takt adopts.
#include <atomic>
#include <rclcpp/rclcpp.hpp>

namespace front = rclcpp;
#include "twin_nodes.hpp"

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::executors::MultiThreadedExecutor executor;
  const auto node = std::make_shared<twins::Twin>([&] { executor.cancel(); });
  executor.add_node(node);
  executor.spin();
  rclcpp::shutdown();
}
