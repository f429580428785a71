// Publishes numbers from 0 on /numbers by shared memory: one for each letter on its standard input,
// in order. `c`: copied, `b`: from a borrowed message. It prints a dot after each. It prints
// "ready" when a subscription of the channel is there, and ends with its input.
//
//     takt_rcl_channel_peer
//     takt_rcl_channel_peer receive    receives them: prints "ready" when it can, and a dot for
//     each
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <std_msgs/msg/u_int64.hpp>
#include <string>
#include <utility>

#include "takt_rcl/takt_rcl.hpp"

using std_msgs::msg::UInt64;

namespace
{

int receive()
{
  takt_rcl::Node node("channel_peer");
  takt_rcl::SubscriptionOptions options;
  options.transport = takt_rcl::Transport::shared_memory;
  const auto subscription = node.create_subscription<UInt64>(
    "/numbers", 10, [](const UInt64 &) { (void)!::write(STDOUT_FILENO, ".", 1); }, options);
  takt_rcl::Executor executor;
  executor.add_node(node);
  std::puts("ready");
  std::fflush(stdout);
  executor.spin();
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  takt_rcl::init(argc, argv);
  if (argc > 1 && std::string(argv[1]) == "receive") {
    const int code = receive();
    takt_rcl::shutdown();
    return code;
  }
  {
    takt_rcl::Node node("channel_peer");
    takt_rcl::PublisherOptions options;
    options.transport = takt_rcl::Transport::shared_memory;
    const auto publisher = node.create_publisher<UInt64>("/numbers", 10, options);
    if (!publisher->wait_for_matched(1, std::chrono::seconds(60))) {
      return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    UInt64 next;
    char how = 0;
    while (::read(STDIN_FILENO, &how, 1) == 1) {
      if (how == 'b') {
        auto message = publisher->borrow();
        message->data = next.data;
        publisher->publish(std::move(message));
      } else {
        publisher->publish(next);
      }
      ++next.data;
      if (::write(STDOUT_FILENO, ".", 1) != 1) {
        return 1;
      }
    }
  }
  takt_rcl::shutdown();
  return 0;
}
