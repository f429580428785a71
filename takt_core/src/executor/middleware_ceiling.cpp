#include "takt_core/middleware_ceiling.hpp"

#include <atomic>
#include <cstdint>

namespace takt_core
{

namespace
{

struct ThreadPriority
{
  OwnPriority base;
  int ceiling = 0;
  int depth = 0;
  bool raised = false;
};

thread_local ThreadPriority t_own;
std::atomic<std::uint64_t> g_raises{0};

bool below(const OwnPriority & own, int ceiling) noexcept
{
  if (own.policy == Policy::deadline) {
    return false;
  }
  return !has_rt_priority(own.policy) || own.priority < ceiling;
}

}  // namespace

void set_base_priority(OwnPriority base) noexcept
{
  t_own.base = base;
}
OwnPriority base_priority() noexcept
{
  return t_own.base;
}
void set_middleware_ceiling(int ceiling) noexcept
{
  t_own.ceiling = ceiling;
}
int own_middleware_ceiling() noexcept
{
  return t_own.ceiling;
}

std::uint64_t middleware_ceiling_raises() noexcept
{
  return g_raises.load(std::memory_order_relaxed);
}

MiddlewareCeilingScope::MiddlewareCeilingScope() noexcept
{
  if (t_own.ceiling == 0 || t_own.depth++ > 0) {
    return;
  }
  if (below(t_own.base, t_own.ceiling)) {
    t_own.raised = set_own_priority(Policy::fifo, t_own.ceiling) == 0;
    g_raises.fetch_add(t_own.raised ? 1 : 0, std::memory_order_relaxed);
  }
}

MiddlewareCeilingScope::~MiddlewareCeilingScope()
{
  if (t_own.ceiling == 0 || --t_own.depth > 0 || !t_own.raised) {
    return;
  }
  t_own.raised = false;
  set_own_priority(t_own.base.policy, t_own.base.priority);
}

}  // namespace takt_core
