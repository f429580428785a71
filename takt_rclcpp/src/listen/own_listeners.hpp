// What the program itself has set to be called of an arrival, for an object to which takt listens.
//
// The middleware keeps one such function for each object. Under a wait set of rclcpp it is the program's alone; while
// takt listens it is takt's, which then calls the program's. The preloaded shim hands over what the program sets
// meanwhile; what it set before stands in rclcpp's object.
#ifndef LISTEN__OWN_LISTENERS_HPP_
#define LISTEN__OWN_LISTENERS_HPP_

#include <rcl/event_callback.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace takt_rclcpp
{

class OwnListener
{
public:
  /// Nothing where `callback` is null. As in the middleware, it returns when no call of an earlier one runs any more.
  /// Any thread; not inside a call.
  void set(rcl_event_callback_t callback, const void * data);
  /// Calls it, if there is one. On the thread of the arrival, which waits while another one is in such a call.
  void tell(std::size_t count) noexcept;
  /// What the program set last, to be given back to the middleware.
  struct Function
  {
    rcl_event_callback_t callback = nullptr;
    const void * data = nullptr;
    bool operator==(const Function &) const = default;
  };
  Function function() const;

private:
  // Recursive: a function may have its object announce something.
  mutable std::recursive_mutex mutex_;
  Function function_;
  std::atomic<bool> is_set_{false};
};

/// While it and `object` live, what the program sets for the object's `handle` (rcl's) goes to `own`. `waiting`: how many
/// arrivals wait, of which the middleware would tell at once. Set-up only.
class ListeningTo
{
public:
  ListeningTo(
    const std::shared_ptr<void> & object, const void * handle, std::shared_ptr<OwnListener> own,
    std::function<std::size_t()> waiting);
  ~ListeningTo();
  ListeningTo(const ListeningTo &) = delete;
  ListeningTo & operator=(const ListeningTo &) = delete;

private:
  const void * const handle_;
  const std::shared_ptr<OwnListener> own_;
};

/// While it lives, what this thread sets is takt's.
class TaktSets
{
public:
  TaktSets() noexcept { ++t_depth; }
  ~TaktSets() { --t_depth; }
  TaktSets(const TaktSets &) = delete;
  TaktSets & operator=(const TaktSets &) = delete;
  static bool now() noexcept { return t_depth > 0; }

private:
  static thread_local unsigned t_depth;
};

/// Somebody sets what an arrival at `handle` calls. True: it was the program, and takt calls it from here on.
bool program_sets(const void * handle, rcl_event_callback_t callback, const void * data);

}  // namespace takt_rclcpp

#endif  // LISTEN__OWN_LISTENERS_HPP_
