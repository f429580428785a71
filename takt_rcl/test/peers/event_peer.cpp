// The takt half of test_events.py: prints the events of its publishers and subscriptions until it
// is told to end.
//
//   publisher /from_takt        best effort; matched, incompatible QoS
//   subscription /to_takt       reliable; matched, incompatible QoS
//   publisher /late             a deadline of 50 ms, one message; deadline
//   subscription /watched       a deadline of 50 ms; deadline, liveliness
#include <rmw/qos_string_conversions.h>
#include <chrono>
#include <cstdio>
#include <std_msgs/msg/int32.hpp>
#include <utility>

#include "takt_rcl/takt_rcl.hpp"

namespace
{

using std_msgs::msg::Int32;

class Peer : public takt_rcl::Node
{
public:
  Peer() : Node("takt_peer")
  {
    const std::chrono::milliseconds deadline(50);
    const std::chrono::seconds lease(5);  // Fast DDS reports liveliness only with a lease
    takt_rcl::PublisherOptions from;
    from.event_callbacks.matched_callback = [](takt_rcl::MatchedInfo & info) {
      say("from_takt matched", static_cast<long>(info.current_count));
    };
    from.event_callbacks.incompatible_qos_callback =
      [](takt_rcl::QOSOfferedIncompatibleQoSInfo & info) {
        say(rmw_qos_policy_kind_to_str(info.last_policy_kind), info.total_count);
      };
    from_ = create_publisher<Int32>("from_takt", takt_rcl::QoS(10).best_effort(), from);
    takt_rcl::SubscriptionOptions to;
    to.event_callbacks.matched_callback = [](takt_rcl::MatchedInfo & info) {
      say("to_takt matched", static_cast<long>(info.current_count));
    };
    to.event_callbacks.incompatible_qos_callback =
      [](takt_rcl::QOSRequestedIncompatibleQoSInfo & info) {
        say(rmw_qos_policy_kind_to_str(info.last_policy_kind), info.total_count);
      };
    to_ = create_subscription<Int32>(
      "to_takt", 10, [](const Int32 &) {}, to);
    takt_rcl::PublisherOptions late;
    late.event_callbacks.deadline_callback = [this](takt_rcl::QOSDeadlineOfferedInfo &) {
      first(late_, "late deadline");
    };
    late.event_callbacks.matched_callback = [this](takt_rcl::MatchedInfo &) {
      late_publisher_->publish(Int32());
    };
    late_publisher_ = create_publisher<Int32>("late", takt_rcl::QoS(10).deadline(deadline), late);
    takt_rcl::SubscriptionOptions watched;
    watched.event_callbacks.deadline_callback = [this](takt_rcl::QOSDeadlineRequestedInfo &) {
      first(watched_, "watched deadline");
    };
    watched.event_callbacks.liveliness_callback = [](takt_rcl::QOSLivelinessChangedInfo & info) {
      say("watched alive", info.alive_count);
    };
    watched_subscription_ = create_subscription<Int32>(
      "watched", takt_rcl::QoS(10).deadline(deadline).liveliness_lease_duration(lease),
      [](const Int32 &) {}, watched);
  }

private:
  static void say(const char * event, long count)
  {
    std::printf("%s %ld\n", event, count);
    std::fflush(stdout);
  }
  static void first(bool & told, const char * event)
  {
    if (!std::exchange(told, true)) {
      say(event, 1);
    }
  }

  bool late_ = false;
  bool watched_ = false;
  takt_rcl::Publisher<Int32>::SharedPtr from_;
  takt_rcl::Publisher<Int32>::SharedPtr late_publisher_;
  takt_rcl::Subscription<Int32>::SharedPtr to_;
  takt_rcl::Subscription<Int32>::SharedPtr watched_subscription_;
};

}  // namespace

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    takt_rcl::spin(std::make_shared<Peer>());
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
