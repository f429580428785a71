#include "adopt/arrivals.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "takt_rt/pi_mutex.hpp"

namespace takt_rclcpp
{
namespace
{

struct Part
{
  takt_rt::PiMutex mutex;
  std::unordered_map<std::uintptr_t, std::shared_ptr<ArrivalListener>> listeners;
};

// Listeners with successive numbers are in different parts, so that they seldom share a mutex.
Part & part_of(std::uintptr_t number)
{
  // Never destroyed: threads of the middleware may call during the program's exit.
  static auto & g_parts = *new std::array<Part, 64>;
  return g_parts[number % g_parts.size()];
}

}  // namespace

const void * register_listener(std::shared_ptr<ArrivalListener> listener)
{
  static std::atomic<std::uintptr_t> g_last{0};
  const std::uintptr_t number = ++g_last;
  Part & part = part_of(number);
  const std::lock_guard lock(part.mutex);
  part.listeners.emplace(number, std::move(listener));
  return reinterpret_cast<const void *>(number);
}

void forget_listener(const void * number) noexcept
{
  Part & part = part_of(reinterpret_cast<std::uintptr_t>(number));
  std::shared_ptr<ArrivalListener> last;  // destroyed after the unlock, if this was its last owner
  const std::lock_guard lock(part.mutex);
  const auto found = part.listeners.find(reinterpret_cast<std::uintptr_t>(number));
  if (found != part.listeners.end()) {
    last = std::move(found->second);
    part.listeners.erase(found);
  }
}

void tell_of_arrival(const void * number, std::size_t count)
{
  Part & part = part_of(reinterpret_cast<std::uintptr_t>(number));
  std::shared_ptr<ArrivalListener> listener;
  {
    const std::lock_guard lock(part.mutex);
    const auto found = part.listeners.find(reinterpret_cast<std::uintptr_t>(number));
    if (found == part.listeners.end()) {
      return;
    }
    listener = found->second;
  }
  listener->arrived(count);
}

}  // namespace takt_rclcpp
