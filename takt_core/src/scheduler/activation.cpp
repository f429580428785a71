#include "takt_core/activation.hpp"

namespace takt_core
{

namespace
{
thread_local const ActivationSet * t_current = nullptr;
}

const ActivationSet * current_activations() noexcept
{
  return t_current;
}

ActivationScope::ActivationScope(const ActivationSet & activations) noexcept : previous_(t_current)
{
  t_current = &activations;
}

ActivationScope::~ActivationScope()
{
  t_current = previous_;
}

}  // namespace takt_core
