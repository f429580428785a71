// Waits for something in the ROS graph. May block.
#ifndef WAIT_FOR_HPP_
#define WAIT_FOR_HPP_

#include <thread>

#include "takt_core/time.hpp"
#include "takt_rcl/context.hpp"

namespace takt_rcl
{

/// Polls `condition` until it holds; false if the time or the context ended before.
template <typename Condition>
bool wait_for(const Context & context, takt_core::Duration timeout, Condition condition)
{
  const takt_core::Time until = takt_core::add_saturated(takt_core::now(), timeout);
  while (!condition()) {
    if (takt_core::now() >= until || !context.ok()) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace takt_rcl

#endif  // WAIT_FOR_HPP_
