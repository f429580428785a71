// A plug-in that links the library; the program does not. The program opens the plug-in with
// RTLD_LOCAL.
#include "shim/stand_in/rclcpp.hpp"

extern "C" __attribute__((visibility("default"))) void spin_in_plugin()
{
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.spin();
  rclcpp::spin_virtually(executor);
}
