// A warning for messages that a callback of a group with logical execution time takes by itself:
// they may have come after the release of the run, so the run's input depends on when it runs
// (takt_core/logical_time.hpp).
#ifndef LATE_INPUT_HPP_
#define LATE_INPUT_HPP_

#include <rcutils/logging_macros.h>

#include <atomic>
#include <string>

#include "takt_core/logical_time.hpp"

namespace takt_rcl
{

/// One for each subscription.
class LateInput
{
public:
  /// Call at each take by the program. The first one in a run of such a group logs, which blocks;
  /// otherwise real-time safe. Any thread.
  void note_take(const std::string & node, const std::string & topic) noexcept
  {
    if (takt_core::LogicalTime::current() != nullptr && !told_.exchange(true)) {
      RCUTILS_LOG_WARN_NAMED(
        "takt",
        "%s: a callback of a group with let takes messages of '%s' by itself, so it may get "
        "messages "
        "that came after its release; use a subscription of the group with a callback",
        node.c_str(), topic.c_str());
    }
  }
  /// Whether it has logged. Any thread; real-time safe.
  bool told() const noexcept { return told_.load(std::memory_order_relaxed); }

private:
  std::atomic<bool> told_{false};
};

}  // namespace takt_rcl

#endif  // LATE_INPUT_HPP_
