// The node with known shares on rclcpp: on one thread, as most nodes are.
#include <rclcpp/rclcpp.hpp>

namespace front = rclcpp;
#include "audited_node.hpp"

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::executors::SingleThreadedExecutor executor;
  const auto node = std::make_shared<audited::Node>([&executor] { executor.cancel(); });
  executor.add_node(node);
  executor.spin();
  rclcpp::shutdown();
}
