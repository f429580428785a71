// A program that links takt_rclcpp. A timer calls a service of its own process ten times and waits
// for each answer, under takt_rclcpp::Executor or, with the argument `pool`, under rclcpp's pool.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <rcl_interfaces/srv/list_parameters.hpp>
#include <rclcpp/rclcpp.hpp>
#include <takt_rclcpp/executor.hpp>

namespace
{

using Ask = rcl_interfaces::srv::ListParameters;
using namespace std::chrono_literals;

std::unique_ptr<rclcpp::Executor> executor_for(bool pool)
{
  constexpr std::size_t kThreads = 3;
  if (pool) {
    return std::make_unique<rclcpp::executors::MultiThreadedExecutor>(
      rclcpp::ExecutorOptions(), kThreads);
  }
  return std::make_unique<takt_rclcpp::Executor>(rclcpp::ExecutorOptions(), "", "", kThreads);
}

void calls_ten_times(rclcpp::Executor & executor)
{
  const auto node = std::make_shared<rclcpp::Node>("caller");
  const auto group = [&] {
    return node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  };
  const auto of_service = group();
  const auto of_client = group();
  const auto service = node->create_service<Ask>(
    "/work", [](const Ask::Request::SharedPtr, Ask::Response::SharedPtr) {}, rclcpp::ServicesQoS(),
    of_service);
  const auto client = node->create_client<Ask>("/work", rclcpp::ServicesQoS(), of_client);
  int answers = 0;
  const auto timer = node->create_wall_timer(20ms, [&] {
    client->async_send_request(std::make_shared<Ask::Request>()).wait();
    if (++answers == 10) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  std::printf("%d answers\n", answers);
}

}  // namespace

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  calls_ten_times(*executor_for(argc > 1 && std::strcmp(argv[1], "pool") == 0));
  rclcpp::shutdown();
}
