// The corpus on rclcpp, as a program that takt adopts.
#include <rclcpp/rclcpp.hpp>

namespace front = rclcpp;
#define GUARDED_LOG RCLCPP_INFO
#include "guarded_node.hpp"

int main(int argc, char ** argv)
{
  const guarded::Case * const one = guarded::case_of(argc, argv);
  if (one == nullptr) {
    return argc < 2 ? 0 : 64;
  }
  rclcpp::init(argc, argv);
  guarded::prepare();
  {
    rclcpp::executors::SingleThreadedExecutor executor;
    const auto node = std::make_shared<guarded::Node>(*one, [&executor] { executor.cancel(); });
    executor.add_node(node);
    guarded::lock_memory();
    node->start();
    executor.spin();
  }
  guarded::clean_up();
  rclcpp::shutdown();
}
