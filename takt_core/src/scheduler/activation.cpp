#include "takt_core/activation.hpp"

namespace takt_core
{

namespace
{
thread_local const ActivationSet * t_current = nullptr;
thread_local std::uint64_t t_message = 0;
}  // namespace

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

std::uint64_t current_message() noexcept
{
  return t_message;
}

MessageScope::MessageScope(std::uint64_t name) noexcept : previous_(t_message)
{
  t_message = name & detail::kMessageNames;
}

MessageScope::~MessageScope()
{
  t_message = previous_;
}

}  // namespace takt_core
