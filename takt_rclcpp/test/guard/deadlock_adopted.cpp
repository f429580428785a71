// The corpus of deadlocks on rclcpp, as a program that takt adopts.
#include <rclcpp/rclcpp.hpp>

namespace front = rclcpp;
#include "deadlock_node.hpp"

int main(int argc, char ** argv)
{
  const deadlocks::Case * const one = deadlocks::case_of(argc, argv);
  if (one == nullptr) {
    return 64;
  }
  rclcpp::init(argc, argv);
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), one->threads);
  const auto node = std::make_shared<deadlocks::Node>(*one);
  executor.add_node(node);
  std::thread([&node] { node->drive(); }).detach();
  executor.spin();
}
