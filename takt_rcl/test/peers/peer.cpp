// The takt half of test_rclpy.py: answers the messages of a Python node until it is told to end.
//
//   /ask (String)    → /answer (String): "takt heard <text>"
//   /image (Image)   → /image_back (Image): the same, first byte incremented, stamp kept
//
// It prints a line when it spins, and its counts at the end.
#include <cstdio>
#include <sensor_msgs/msg/image.hpp>
#include <std_msgs/msg/string.hpp>

#include "takt_rcl/takt_rcl.hpp"

namespace
{

using Image = sensor_msgs::msg::Image;
using String = std_msgs::msg::String;

class Peer : public takt_rcl::Node
{
public:
  Peer() : Node("takt_peer")
  {
    answer_ = create_publisher<String>("answer", takt_rcl::QoS(10));
    image_back_ = create_publisher<Image>("image_back", takt_rcl::QoS(10));
    ask_ = create_subscription<String>("ask", takt_rcl::QoS(10), [this](const String & m) {
      String answer;
      answer.data = "takt heard " + m.data;
      answer_->publish(answer);
    });
    image_ = create_subscription<Image>(
      "image", takt_rcl::QoS(10),
      [this](takt_rcl::UniqueMessage<Image> m, const takt_rcl::MessageInfo & info) {
        if (m->data.empty() || info.publication_sequence_number() == 0) {
          return;
        }
        ++m->data.front();
        image_back_->publish(*m);
      });
    // Prints "ready" once all endpoints are matched. The Python side may read it at any later time.
    ready_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (
        answer_->get_subscription_count() > 0 && image_back_->get_subscription_count() > 0 &&
        ask_->get_publisher_count() > 0 && image_->get_publisher_count() > 0) {
        std::puts("ready");
        std::fflush(stdout);
        ready_->cancel();
      }
    });
  }

  void report() const
  {
    std::printf(
      "taken %llu lost %llu\n",
      static_cast<unsigned long long>(ask_->taken_messages() + image_->taken_messages()),
      static_cast<unsigned long long>(ask_->lost_messages() + image_->lost_messages()));
  }

private:
  takt_rcl::Publisher<String>::SharedPtr answer_;
  takt_rcl::Publisher<Image>::SharedPtr image_back_;
  takt_rcl::Subscription<String>::SharedPtr ask_;
  takt_rcl::Subscription<Image>::SharedPtr image_;
  takt_rcl::Timer::SharedPtr ready_;
};

}  // namespace

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    {
      const auto peer = std::make_shared<Peer>();
      takt_rcl::spin(peer);
      peer->report();
    }
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
