#include "takt_rt/guard/guard.hpp"

#include <dlfcn.h>

namespace takt_rt
{

const GuardInterface * guard_library() noexcept
{
  static const GuardInterface * const found = []() -> const GuardInterface * {
    using Get = const GuardInterface * (*)();
    const auto get = reinterpret_cast<Get>(::dlsym(RTLD_DEFAULT, "takt_guard_interface"));
    const GuardInterface * const library = get == nullptr ? nullptr : get();
    return library == nullptr || library->version != GuardInterface::kVersion ? nullptr : library;
  }();
  return found;
}

}  // namespace takt_rt
