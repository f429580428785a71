#include "takt_core/detail/ready_queue.hpp"

#include <cassert>

#include "scheduler/deadline_queue.hpp"
#include "scheduler/level_queue.hpp"
#include "scheduler/window_queue.hpp"

namespace takt_core
{

void ReadyQueue::attach(CallbackEntry &)
{
  assert(mutex_.held());
}
void ReadyQueue::detach(CallbackEntry &)
{
  assert(mutex_.held());
}
void ReadyQueue::group_left(Group &) noexcept
{
  assert(mutex_.held());
}
void ReadyQueue::look_again() noexcept
{
  assert(mutex_.held());
}

std::unique_ptr<ReadyQueue> make_ready_queue(Order order, WindowTimers timers, PiMutex & mutex)
{
  switch (order) {
    case Order::priority:
    case Order::fifo:
      return std::make_unique<LevelQueue>(order, mutex);
    case Order::edf:
      return std::make_unique<DeadlineQueue>(mutex);
    case Order::window:
      return std::make_unique<WindowQueue>(timers, mutex);
    case Order::stock:
      return std::make_unique<StockQueue>(timers, mutex);
  }
  return nullptr;
}

}  // namespace takt_core
