// The takt half of test_filter.py: prints the numbers that its filter chooses, until it is told to
// end.
//
//   subscription /numbers   with the filter "data = 1 OR data > 5" at first
//   subscription /filter    another filter
#include <cstdio>
#include <std_msgs/msg/int32.hpp>
#include <std_msgs/msg/string.hpp>

#include "takt_rcl/takt_rcl.hpp"

int main(int argc, char ** argv)
{
  try {
    takt_rcl::init(argc, argv);
    const auto node = std::make_shared<takt_rcl::Node>("takt_peer");
    takt_rcl::SubscriptionOptions options;
    options.content_filter_options.filter_expression = "data = 1 OR data > 5";
    const auto numbers = node->create_subscription<std_msgs::msg::Int32>(
      "numbers", 10,
      [](const std_msgs::msg::Int32 & number) {
        std::printf("%d\n", number.data);
        std::fflush(stdout);
      },
      options);
    const auto filter = node->create_subscription<std_msgs::msg::String>(
      "filter", 10, [&](const std_msgs::msg::String & text) {
        numbers->set_content_filter(text.data);
        std::printf("filter %s\n", text.data.c_str());
        std::fflush(stdout);
      });
    takt_rcl::spin(node);
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
