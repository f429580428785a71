// A component that counts the runs of its timer, and publishes the count on a topic named after it.
// It writes the name of its first run's thread to standard error.
#include <pthread.h>

#include <cstdio>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <std_msgs/msg/int32.hpp>

namespace takt_test
{

class Counting : public rclcpp::Node
{
public:
  explicit Counting(const rclcpp::NodeOptions & options) : Node("counting", options)
  {
    publisher_ = create_publisher<std_msgs::msg::Int32>("~/count", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(5), [this] {
      std_msgs::msg::Int32 message;
      message.data = ++count_;
      if (count_ == 1) {
        char thread[16] = {};
        ::pthread_getname_np(::pthread_self(), thread, sizeof(thread));
        std::fprintf(stderr, "%s on %s\n", get_name(), thread);
      }
      publisher_->publish(message);
    });
  }

private:
  int count_ = 0;
  rclcpp::Publisher<std_msgs::msg::Int32>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace takt_test

RCLCPP_COMPONENTS_REGISTER_NODE(takt_test::Counting)
