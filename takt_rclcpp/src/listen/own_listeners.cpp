#include "listen/own_listeners.hpp"

#include <unordered_map>
#include <utility>

namespace takt_rclcpp
{
namespace
{

struct KnownObject
{
  std::weak_ptr<void> object;  // a later object may get the address of this one's handle
  std::shared_ptr<OwnListener> own;
  std::function<std::size_t()> waiting;
};

// Never destroyed: objects of the program may outlive this library's globals.
struct Handles
{
  std::mutex mutex;
  std::unordered_map<const void *, KnownObject> known;
};

Handles & handles()
{
  static auto & g_handles = *new Handles;
  return g_handles;
}

}  // namespace

thread_local unsigned TaktSets::t_depth = 0;

void OwnListener::set(rcl_event_callback_t callback, const void * data)
{
  const std::lock_guard lock(mutex_);
  function_ = {callback, callback != nullptr ? data : nullptr};
  is_set_.store(callback != nullptr, std::memory_order_release);
}

void OwnListener::tell(std::size_t count) noexcept
{
  if (!is_set_.load(std::memory_order_acquire)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (function_.callback != nullptr) {
    function_.callback(function_.data, count);
  }
}

OwnListener::Function OwnListener::function() const
{
  const std::lock_guard lock(mutex_);
  return function_;
}

ListeningTo::ListeningTo(
  const std::shared_ptr<void> & object, const void * handle, std::shared_ptr<OwnListener> own,
  std::function<std::size_t()> waiting)
: handle_(handle),
  own_(std::move(own))
{
  Handles & all = handles();
  const std::lock_guard lock(all.mutex);
  all.known[handle_] = {object, own_, std::move(waiting)};
}

ListeningTo::~ListeningTo()
{
  Handles & all = handles();
  KnownObject last;  // destroyed after the unlock, if this was the last owner
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.known.find(handle_);
      found != all.known.end() && found->second.own == own_) {
    last = std::move(found->second);
    all.known.erase(found);
  }
}

bool program_sets(const void * handle, rcl_event_callback_t callback, const void * data)
{
  if (TaktSets::now()) {
    return false;
  }
  KnownObject known;
  {
    Handles & all = handles();
    const std::lock_guard lock(all.mutex);
    const auto found = all.known.find(handle);
    if (found == all.known.end() || found->second.object.expired()) {
      return false;
    }
    known = found->second;
  }
  const bool first = known.own->function().callback == nullptr;
  known.own->set(callback, data);
  // As the middleware does, call the new function for the messages of which no function was told.
  if (const std::size_t count = known.waiting ? known.waiting() : 0;
      first && callback != nullptr && count > 0) {
    callback(data, count);
  }
  return true;
}

}  // namespace takt_rclcpp
