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
  guarded::run_node<rclcpp::executors::SingleThreadedExecutor, guarded::Node>(*one);
  guarded::clean_up();
  rclcpp::shutdown();
}
