// The cases of inlined.hpp on rclcpp, as a program that takt adopts.
#include <rclcpp/rclcpp.hpp>

namespace front = rclcpp;
#define GUARDED_LOG RCLCPP_INFO
#include "inlined_node.hpp"

int main(int argc, char ** argv)
{
  if (argc < 2) {
    return 64;
  }
  rclcpp::init(argc, argv);
  {
    rclcpp::executors::SingleThreadedExecutor executor;
    const auto node =
      std::make_shared<guarded::InlinedNode>(argv[1], [&executor] { executor.cancel(); });
    executor.add_node(node);
    guarded::lock_memory();
    node->start();
    executor.spin();
  }
  rclcpp::shutdown();
}
