// A test whose process has rclcpp's default context, in a ROS domain of its own.
#ifndef WITH_RCLCPP_HPP_
#define WITH_RCLCPP_HPP_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <rclcpp/utilities.hpp>
#include <string>

namespace takt_rclcpp
{

template <typename Param>
class WithRclcpp : public testing::TestWithParam<Param>
{
protected:
  static void SetUpTestSuite()
  {
    ::setenv("ROS_DOMAIN_ID", std::to_string(10 + ::getpid() % 90).c_str(), 1);
    ::setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1);
    rclcpp::init(0, nullptr);
  }
  static void TearDownTestSuite() { rclcpp::shutdown(); }
};

}  // namespace takt_rclcpp

#endif  // WITH_RCLCPP_HPP_
