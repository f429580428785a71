// The function that the program itself has set for arrivals at an object to which takt listens.
//
// The middleware keeps one such function for each object. Under a host with a wait set the program
// may set that function. While takt listens, the middleware has takt's function, which calls the
// program's function. rclcpp's object stores the function that the program set before takt
// listened. The preloaded shim passes on the functions that the program sets meanwhile.
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
  /// Sets the program's function; null: none. As in the middleware, no call of an earlier function
  /// runs after the return. Any thread, but not inside such a call.
  void set(rcl_event_callback_t callback, const void * data);
  /// Calls the program's function, if there is one. Called on the thread of the arrival; waits
  /// while another thread is in such a call.
  void tell(std::size_t count) noexcept;
  /// The function that the program set last. takt gives it back to the middleware when it stops
  /// listening.
  struct Function
  {
    rcl_event_callback_t callback = nullptr;
    const void * data = nullptr;
    bool operator==(const Function &) const = default;
  };
  Function function() const;

private:
  // Recursive: the function may cause an arrival at the same object.
  mutable std::recursive_mutex mutex_;
  Function function_;
  std::atomic<bool> is_set_{false};
};

/// While this and `object` live, a function that the program sets for `handle` (rcl's) goes to
/// `own`. `waiting`: the number of waiting arrivals, of which the middleware would tell a new
/// function at once. Set-up only.
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

/// While it lives, a function that this thread sets for arrivals is takt's and not the program's.
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

/// Call it when a function for arrivals at `handle` is set. Returns true if the program sets the
/// function and takt will call it.
bool program_sets(const void * handle, rcl_event_callback_t callback, const void * data);

}  // namespace takt_rclcpp

#endif  // LISTEN__OWN_LISTENERS_HPP_
