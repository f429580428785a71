// Macros that define functions in place of the C library's, and find the replaced function.
#ifndef NEXT_FUNCTION_HPP_
#define NEXT_FUNCTION_HPP_

#include <dlfcn.h>

#include "thread_state.hpp"

namespace takt_guard
{

/// The function `name` in the libraries after this one. `version`: the symbol's version, if the
/// symbol has several; else null.
template <typename Function>
Function next_function(const char * name, const char * version = nullptr) noexcept
{
  void * found = version == nullptr ? nullptr : ::dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr) {
    found = ::dlsym(RTLD_NEXT, name);
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace takt_guard

#define TAKT_GUARD_EXPORT extern "C" __attribute__((visibility("default")))

/// Defines `next_NAME()`, which returns the function that ours replaces. The function is found
/// before `main` runs, or at the first call if that comes earlier.
#define TAKT_GUARD_NEXT_VERSION(name, version, ...)                    \
  using fn_##name = __VA_ARGS__;                                       \
  static constinit fn_##name g_##name = nullptr;                       \
  static inline fn_##name next_##name() noexcept                       \
  {                                                                    \
    if (__builtin_expect(g_##name == nullptr, 0)) {                    \
      g_##name = takt_guard::next_function<fn_##name>(#name, version); \
    }                                                                  \
    return g_##name;                                                   \
  }                                                                    \
  __attribute__((constructor)) static void find_##name()               \
  {                                                                    \
    static_cast<void>(next_##name());                                  \
  }
#define TAKT_GUARD_NEXT(name, ...) TAKT_GUARD_NEXT_VERSION(name, nullptr, __VA_ARGS__)

/// Begins an event, of the function in which the macro stands. The event ends with its scope.
#define TAKT_GUARD_EVENT(kind, name) \
  takt_guard::Event event(           \
    takt_rt::GuardKind::kind, #name, __builtin_return_address(0), __builtin_frame_address(0))

#define TAKT_GUARD_UNPACK(...) __VA_ARGS__

/// Defines a function in place of the C library's. Each call within a scope is an event if
/// `condition` holds.
#define TAKT_GUARD_FUNCTION(kind, condition, result, name, parameters, arguments, ...) \
  TAKT_GUARD_NEXT(name, result(*) parameters)                                          \
  TAKT_GUARD_EXPORT result name parameters __VA_ARGS__                                 \
  {                                                                                    \
    if (!takt_guard::watching() || !(condition)) {                                     \
      return next_##name() arguments;                                                  \
    }                                                                                  \
    TAKT_GUARD_EVENT(kind, name);                                                      \
    event.waits();                                                                     \
    return next_##name() arguments;                                                    \
  }

#endif  // NEXT_FUNCTION_HPP_
