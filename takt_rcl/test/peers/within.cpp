// The takt half of test_within.py: a publisher and a subscription of one process, by pointer, on a
// topic that others may join.
//
// A timer publishes 1, 2, 3 … on /numbers; numbers of others begin at a million. The program prints
// a line when it spins, and at its end the numbers that it published, took in this order, and took
// from others.
#include <cstdio>
#include <set>
#include <std_msgs/msg/u_int64.hpp>

#include "takt_rcl/takt_rcl.hpp"

namespace
{

using Number = std_msgs::msg::UInt64;

class Within : public takt_rcl::Node
{
public:
  Within() : Node("within", takt_rcl::NodeOptions().use_intra_process_comms(true))
  {
    publisher_ = create_publisher<Number>("numbers", takt_rcl::QoS(1000));
    subscription_ = create_subscription<Number>(
      "numbers", takt_rcl::QoS(1000), [this](const Number & m, const takt_rcl::MessageInfo & info) {
        if (info.from_intra_process()) {
          taken_ += m.data == taken_ + 1 ? 1 : 0;
        } else {
          others_.insert(m.data);
        }
      });
    timer_ = create_wall_timer(std::chrono::milliseconds(5), [this] {
      if (published_ == 0) {
        std::puts("ready");
        std::fflush(stdout);
      }
      Number number;
      number.data = ++published_;
      publisher_->publish(number);
    });
  }

  void publish_no_more() { timer_->cancel(); }

  void report() const
  {
    std::printf(
      "published %llu taken %llu others %zu of %zu lost %llu\n",
      static_cast<unsigned long long>(published_), static_cast<unsigned long long>(taken_),
      std::set<std::uint64_t>(others_.begin(), others_.end()).size(), others_.size(),
      static_cast<unsigned long long>(subscription_->lost_messages()));
  }

private:
  std::uint64_t published_ = 0;
  std::uint64_t taken_ = 0;
  std::multiset<std::uint64_t> others_;
  takt_rcl::Publisher<Number>::SharedPtr publisher_;
  takt_rcl::Subscription<Number>::SharedPtr subscription_;
  takt_rcl::Timer::SharedPtr timer_;
};

}  // namespace

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    {
      const auto within = std::make_shared<Within>();
      takt_rcl::Executor executor;
      executor.add_node(within);
      executor.spin();
      within->publish_no_more();
      executor.spin_some();  // what the last timer published
      within->report();
    }
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
