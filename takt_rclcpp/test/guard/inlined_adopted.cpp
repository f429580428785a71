// The cases of inlined.hpp on rclcpp, as a program that takt adopts.
#include <rclcpp/rclcpp.hpp>

namespace front = rclcpp;
#define GUARDED_LOG RCLCPP_INFO
#define GUARDED_TIMER_ARGUMENTS const rclcpp::TimerInfo &
#include "inlined_node.hpp"

int main(int argc, char ** argv)
{
  if (argc < 2) {
    return 64;
  }
  rclcpp::init(argc, argv);
  guarded::run_node<rclcpp::executors::SingleThreadedExecutor, guarded::InlinedNode>(argv[1]);
  rclcpp::shutdown();
}
