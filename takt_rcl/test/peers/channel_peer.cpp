// Publishes numbers from 0 on /numbers by shared memory: one for each letter on its standard input, in order. `c`: copied, `b`: from a
// borrowed message. It prints a dot after each. It prints "ready" when a subscription of the channel is there, and ends with its input.
//
//     takt_rcl_channel_peer
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <std_msgs/msg/u_int64.hpp>
#include <utility>

#include "takt_rcl/takt_rcl.hpp"

int main(int argc, char ** argv)
{
  using std_msgs::msg::UInt64;
  takt_rcl::init(argc, argv);
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
