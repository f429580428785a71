#include "takt_core/activation.hpp"

namespace takt_core
{

constinit thread_local const ActivationSet * ActivationScope::s_current = nullptr;
constinit thread_local std::uint64_t MessageScope::s_current = 0;

}  // namespace takt_core
