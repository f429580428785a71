// A wait set of rcl that is made anew for each wait.
#ifndef LISTEN__WAIT_SET_HPP_
#define LISTEN__WAIT_SET_HPP_

#include <rcl/wait.h>

#include <cstddef>
#include <utility>

#include "rclcpp/context.hpp"
#include "rclcpp/exceptions.hpp"

namespace takt_rclcpp
{

/// One thread at a time. May block and allocate; throws rclcpp's exceptions.
class WaitSet
{
public:
  explicit WaitSet(rclcpp::Context & context) : context_(context) {}
  ~WaitSet() { end(); }
  WaitSet(const WaitSet &) = delete;
  WaitSet & operator=(const WaitSet &) = delete;

  rcl_wait_set_t & make(
    std::size_t subscriptions, std::size_t guard_conditions, std::size_t timers,
    std::size_t clients, std::size_t services, std::size_t events)
  {
    end();
    const rcl_ret_t result = rcl_wait_set_init(
      &set_, subscriptions, guard_conditions, timers, clients, services, events,
      context_.get_rcl_context().get(), rcl_get_default_allocator());
    if (result != RCL_RET_OK) {
      rclcpp::exceptions::throw_from_rcl_error(result, "takt cannot make a wait set");
    }
    made_ = true;
    return set_;
  }

private:
  void end() noexcept
  {
    if (std::exchange(made_, false) && rcl_wait_set_fini(&set_) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }

  rclcpp::Context & context_;
  rcl_wait_set_t set_ = rcl_get_zero_initialized_wait_set();
  bool made_ = false;
};

}  // namespace takt_rclcpp

#endif  // LISTEN__WAIT_SET_HPP_
