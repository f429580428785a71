// The corpus of deadlocks: two callbacks, of which one waits for what the other one does; and waits
// that are none.
#ifndef DEADLOCKS_HPP_
#define DEADLOCKS_HPP_

#include <array>
#include <cstddef>
#include <string_view>

namespace deadlocks
{

/// Where the second callback runs, relative to the first.
enum class Other
{
  same_group,
  other_group
};

struct Case
{
  std::string_view name;
  std::string_view waits;    ///< how the first one waits: see deadlock_node.hpp
  std::string_view answers;  ///< timer, subscription, service: the kind of the second one
  Other other;
  std::size_t threads;
  bool is_deadlock;
};

constexpr std::array<Case, 14> kCases{{
  {"future", "future", "timer", Other::same_group, 1, true},
  {"future_of_a_subscription", "future", "subscription", Other::same_group, 2, true},
  {"future_of_a_service", "future", "service", Other::same_group, 2, true},
  {"future_on_one_thread", "future", "timer", Other::other_group, 1, true},
  {"condition", "condition", "timer", Other::same_group, 2, true},
  {"condition_on_one_thread", "condition", "subscription", Other::other_group, 1, true},
  {"semaphore", "semaphore", "timer", Other::same_group, 1, true},
  {"atomic", "atomic", "timer", Other::same_group, 2, true},
  {"latch", "latch", "service", Other::other_group, 1, true},
  {"future_for_a_time", "future_for", "timer", Other::same_group, 2, true},
  {"condition_for_a_time", "condition_for", "timer", Other::same_group, 1, true},
  {"locks", "locks", "timer", Other::other_group, 2, true},
  {"other_thread_answers", "future", "timer", Other::other_group, 2, false},
  {"nobody_waits_for_it", "outside", "idle timer", Other::same_group, 1, false},
}};

}  // namespace deadlocks

#endif  // DEADLOCKS_HPP_
