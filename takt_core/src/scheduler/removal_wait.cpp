#include "scheduler/removal_wait.hpp"

#include <mutex>

namespace takt_core::detail
{

namespace
{

constinit std::mutex g_mutex;
constinit RemovalWait * g_waiting = nullptr;

bool holds(const RunFrame * stack, const Callback & callback) noexcept
{
  for (; stack != nullptr; stack = stack->outer()) {
    if (stack->run().callback == &callback) {
      return true;
    }
  }
  return false;
}

}  // namespace

RemovalWait::RemovalWait(const Callback & callback) : callback_(callback)
{
  std::lock_guard lock(g_mutex);
  endless_ = stack_ != nullptr && leads_here(callback);
  if (!endless_) {
    next_ = g_waiting;
    g_waiting = this;
  }
}

RemovalWait::~RemovalWait()
{
  if (endless_) {
    return;
  }
  std::lock_guard lock(g_mutex);
  RemovalWait ** at = &g_waiting;
  while (*at != this) {
    at = &(*at)->next_;
  }
  *at = next_;
}

// Whether a run of `callback` is on this thread's stack, or waits, directly or through other waits,
// for a run that is on this thread's stack. The recursion ends, because earlier waiters never wait
// for each other in a circle.
bool RemovalWait::leads_here(const Callback & callback) const noexcept
{
  if (holds(stack_, callback)) {
    return true;
  }
  for (const RemovalWait * other = g_waiting; other != nullptr; other = other->next_) {
    if (holds(other->stack_, callback) && leads_here(other->callback_)) {
      return true;
    }
  }
  return false;
}

}  // namespace takt_core::detail
