#include "takt_core/detail/ready_queue.hpp"

#include "scheduler/deadline_queue.hpp"
#include "scheduler/level_queue.hpp"
#include "scheduler/window_queue.hpp"

namespace takt_core
{

void ReadyQueue::attach(CallbackEntry &)
{
}
void ReadyQueue::detach(CallbackEntry &)
{
}
void ReadyQueue::group_left(Group &) noexcept
{
}
void ReadyQueue::look_again() noexcept
{
}

std::unique_ptr<ReadyQueue> make_ready_queue(Order order, WindowTimers timers)
{
  switch (order) {
    case Order::priority:
    case Order::fifo:
      return std::make_unique<LevelQueue>(order);
    case Order::edf:
      return std::make_unique<DeadlineQueue>();
    case Order::window:
      return std::make_unique<WindowQueue>(timers);
    case Order::stock:
      return std::make_unique<StockQueue>(timers);
  }
  return nullptr;
}

}  // namespace takt_core
