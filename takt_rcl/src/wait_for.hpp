// Waits for something in the ROS graph. May block.
#ifndef WAIT_FOR_HPP_
#define WAIT_FOR_HPP_

#include <thread>

#include "takt_rcl/context.hpp"
#include "takt_rt/time.hpp"

namespace takt_rcl
{

/// Polls `condition` until it holds; false if the time or the context ended before.
template <typename Condition>
bool wait_for(const Context & context, takt_rt::Duration timeout, Condition condition)
{
  const takt_rt::Time until = takt_rt::add_saturated(takt_rt::now(), timeout);
  while (!condition()) {
    if (takt_rt::now() >= until || !context.ok()) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace takt_rcl

#endif  // WAIT_FOR_HPP_
