// The interface to the parts of rclcpp that differ between distributions. CMake chooses one source
// beside this file.
//
// The functions that the shim replaces differ in their names, too. shim/hooked_symbols.h has the
// names of all distributions, because a program's rclcpp is known only at run time.
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

/// The collector of an EventsExecutor, if it has a collector of its own and does not use that of
/// its base class. Null: any other host. Any thread.
rclcpp::executors::ExecutorEntitiesCollector * own_collector_of(rclcpp::Executor & host);
/// The notifying waitable of an EventsExecutor, if it has a waitable of its own and does not use
/// that of its base class. Null: any other host. Any thread.
rclcpp::executors::ExecutorNotifyWaitable * own_notify_waitable_of(rclcpp::Executor & host);

/// Makes an EventsExecutor listen to its nodes and their entities by itself again, as it does
/// between spins. False: this librclcpp lacks the functions for it. Call it while the host does not
/// spin; may block.
bool listens_again(rclcpp::Executor & host);

struct NextCall
{
  rcl_ret_t result = RCL_RET_OK;  ///< rcl's result; otherwise rcl's error is set
  takt_rt::Time read{};           ///< takt's clock when rcl was asked
  std::int64_t left = 0;          ///< ns from `read` to the call
};

/// The time of rcl's next call of a timer on the monotonic clock. Real-time safe.
NextCall next_call_of(const rcl_timer_t & timer) noexcept;

}  // namespace takt_rclcpp::api

#endif  // RCLCPP_API__RCLCPP_API_HPP_
