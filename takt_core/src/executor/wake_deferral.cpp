#include "takt_core/wake_deferral.hpp"

namespace takt_core
{

namespace
{
thread_local const WakeDeferral * t_open = nullptr;
}

WakeDeferral::WakeDeferral(const Scheduler & scheduler, std::uint32_t thread) noexcept
: previous_(t_open),
  scheduler_(&scheduler),
  thread_(thread)
{
  t_open = this;
}

WakeDeferral::~WakeDeferral()
{
  t_open = previous_;
}

std::uint32_t WakeDeferral::thread_of(const Scheduler & scheduler) noexcept
{
  return t_open != nullptr && t_open->scheduler_ == &scheduler ? t_open->thread_ : kNobody;
}

}  // namespace takt_core
