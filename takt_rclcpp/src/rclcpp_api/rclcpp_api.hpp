// What differs from one distribution's rclcpp to the other's: a source beside this one for each, of which CMake chooses one.
//
// The names of the functions that the shim stands in for differ, too: shim/hooked_symbols.h has those of all distributions,
// because a program's rclcpp is known at run time only.
#ifndef RCLCPP_API__RCLCPP_API_HPP_
#define RCLCPP_API__RCLCPP_API_HPP_

#include <rcl/timer.h>

#include <cstdint>

#include "rclcpp/executor.hpp"
#include "rclcpp/executors/executor_entities_collector.hpp"
#include "rclcpp/executors/executor_notify_waitable.hpp"
#include "takt_rt/time.hpp"

namespace takt_rclcpp::api
{

/// An EventsExecutor that has these of its own, and its base's lie idle. Null: any other host. Any thread.
rclcpp::executors::ExecutorEntitiesCollector * own_collector_of(rclcpp::Executor & host);
rclcpp::executors::ExecutorNotifyWaitable * own_notify_waitable_of(rclcpp::Executor & host);

/// An EventsExecutor listens for itself between spins: it listens again to its nodes and to all that they have. False: the
/// librclcpp that runs does not show how. While the host does not spin; may block.
bool listens_again(rclcpp::Executor & host);

struct NextCall
{
  rcl_ret_t result =
    RCL_RET_OK;           ///< as rcl answered; of anything but RCL_RET_OK rcl's error is set
  takt_rt::Time read{};   ///< takt's clock when rcl was asked
  std::int64_t left = 0;  ///< ns from `read` to the call
};

/// When rcl will call a timer on the monotonic clock. Real-time safe.
NextCall next_call_of(const rcl_timer_t & timer) noexcept;

}  // namespace takt_rclcpp::api

#endif  // RCLCPP_API__RCLCPP_API_HPP_
