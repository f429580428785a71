// A component container whose components takt runs: as rclcpp's component_container, with the parameters
//
//     schedule_file   a schedule (docs/schedule.md); empty: `thread_num` threads in the order of arrival
//     executor_name   the schedule's executor; empty: the one whose rules name the callbacks here
//     thread_num      threads without a schedule; default: one for each core
#include <cstdio>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/component_manager.hpp>
#include <string>

#include "takt_rclcpp/executor.hpp"

int main(int argc, char ** argv)
{
  try {
    rclcpp::init(argc, argv);
    const auto manager = std::make_shared<rclcpp_components::ComponentManager>();
    const auto schedule = manager->declare_parameter<std::string>("schedule_file", "");
    const auto name = manager->declare_parameter<std::string>("executor_name", "");
    // rclcpp's manager declares it, with the number of cores by default.
    const auto threads = manager->has_parameter("thread_num")
                           ? manager->get_parameter("thread_num").as_int()
                           : manager->declare_parameter<std::int64_t>("thread_num", 1);
    if (threads < 1) {
      throw std::invalid_argument("thread_num must be at least 1, not " + std::to_string(threads));
    }
    const auto executor = std::make_shared<takt_rclcpp::Executor>(
      rclcpp::ExecutorOptions(), schedule, name, static_cast<std::size_t>(threads));
    manager->set_executor(executor);
    executor->add_node(manager);
    executor->spin();
    rclcpp::shutdown();
    return 0;
  } catch (const std::exception & error) {
    std::fprintf(stderr, "component_container: %s\n", error.what());
    return 2;
  }
}
