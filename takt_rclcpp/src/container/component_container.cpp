// A component container whose components takt runs: like rclcpp's component_container, with the
// parameters
//
//     schedule_file   a schedule (docs/schedule.md); empty: `thread_num` threads by order of
//     arrival executor_name   the schedule's executor; empty: the only one of the schedule
//     thread_num      threads without a schedule; default: one for each core
#include <cstdio>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_components/component_manager.hpp>

#include "takt_rclcpp/executor.hpp"

int main(int argc, char ** argv)
{
  try {
    rclcpp::init(argc, argv);
    const auto manager = std::make_shared<rclcpp_components::ComponentManager>();
    // rclcpp's manager declares thread_num, with the number of cores by default.
    const auto executor = takt_rclcpp::Executor::from_parameters(*manager);
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
