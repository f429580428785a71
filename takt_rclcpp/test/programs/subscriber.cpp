// A library that makes a subscription, as libraries of components do. The program closes it.
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/temperature.hpp>
#include <string>

using sensor_msgs::msg::Temperature;

extern "C" void subscribe(
  rclcpp::Node & node, const std::string & topic, rclcpp::SubscriptionBase::SharedPtr & to)
{
  to = node.create_subscription<Temperature>(topic, 10, [](const Temperature &) {});
}
