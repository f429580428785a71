#include "listen/goal_gate.hpp"

#include <limits>
#include <utility>

#include "takt_rt/futex.hpp"

namespace takt_rclcpp
{
namespace
{

constinit thread_local GoalGate::Run * t_server_run = nullptr;

}  // namespace

GoalGate::Run::Run(GoalGate & gate) noexcept : gate_(gate), outer_(t_server_run)
{
  t_server_run = this;
}

GoalGate::Run::~Run()
{
  goal_known();  // the goal was rejected, or the callback threw
  t_server_run = outer_;
}

void GoalGate::answer_begins() noexcept
{
  if (t_server_run != nullptr && !std::exchange(t_server_run->answers_, true)) {
    t_server_run->gate_.answering_.fetch_add(1, std::memory_order_acq_rel);
  }
}

void GoalGate::goal_known() noexcept
{
  if (t_server_run == nullptr || !std::exchange(t_server_run->answers_, false)) {
    return;
  }
  std::atomic<std::uint32_t> & answering = t_server_run->gate_.answering_;
  if (answering.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    takt_rt::futex_wake(answering, std::numeric_limits<int>::max());
  }
}

void GoalGate::wait() noexcept
{
  for (std::uint32_t number = answering_.load(std::memory_order_acquire); number > 0;
       number = answering_.load(std::memory_order_acquire)) {
    takt_rt::futex_wait(answering_, number);
  }
}

}  // namespace takt_rclcpp
