// The takt half of test_generic.py: forwards messages of a type that it gets as its argument, and
// does not know when it is compiled, until it is told to end.
//
//   generic_peer TYPE
//   subscription /to_takt → publisher /from_takt, without a look into them
#include <cstdio>
#include <utility>

#include "takt_rcl/takt_rcl.hpp"

int main(int argc, char ** argv)
{
  if (argc < 2) {
    std::fprintf(stderr, "usage: generic_peer TYPE\n");
    return 2;
  }
  try {
    takt_rcl::init(argc, argv);
    const auto node = std::make_shared<takt_rcl::Node>("takt_peer");
    const auto from = node->create_generic_publisher("from_takt", argv[1], 10);
    const auto to = node->create_generic_subscription(
      "to_takt", argv[1], 10,
      [&](const takt_rcl::SerializedMessage & message) { from->publish(message); });
    takt_rcl::spin(node);
    takt_rcl::shutdown();
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
