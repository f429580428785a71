// The executor measures the costs of runs only if a report or an observer wants them; here no
// report is wanted.
#include <gtest/gtest.h>

#include <chrono>
#include <rclcpp/rclcpp.hpp>

#include "takt_core/callback.hpp"
#include "takt_core/executor.hpp"
#include "takt_rclcpp/executor.hpp"
#include "with_rclcpp.hpp"

namespace takt_rclcpp
{
namespace
{

using RunCosts = WithRclcpp<int>;

TEST_P(RunCosts, are_not_measured_where_no_report_is_wanted)
{
  Executor executor;
  const auto node = std::make_shared<rclcpp::Node>("n");
  int runs = 0;
  int measured = 0;
  const auto timer = node->create_wall_timer(std::chrono::milliseconds(1), [&] {
    measured += takt_core::current_run()->costs == nullptr ? 0 : 1;
    if (++runs == 3) {
      executor.cancel();
    }
  });
  executor.add_node(node);
  executor.spin();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(measured, 0);
}

INSTANTIATE_TEST_SUITE_P(once, RunCosts, testing::Values(0));

}  // namespace
}  // namespace takt_rclcpp
