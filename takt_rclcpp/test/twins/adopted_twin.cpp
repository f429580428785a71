// The nodes on rclcpp, as a program that takt adopts: the nodes of twin_nodes.hpp or, with the
// argument `turns`, the node of turns.hpp.
#include <atomic>
#include <rclcpp/rclcpp.hpp>
#include <string_view>

namespace front = rclcpp;
#include "turns.hpp"
#include "twin_nodes.hpp"

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::executors::MultiThreadedExecutor executor;
  const auto end = [&] { executor.cancel(); };
  rclcpp::Node::SharedPtr node;
  if (argc > 1 && std::string_view(argv[1]) == "turns") {
    node = std::make_shared<twins::Turns>(end);
  } else {
    node = std::make_shared<twins::Twin>(end);
  }
  executor.add_node(node);
  executor.spin();
  rclcpp::shutdown();
}
