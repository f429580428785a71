// What the environment says; see takt_rt/guard/interface.hpp.
#ifndef SETTINGS_HPP_
#define SETTINGS_HPP_

#include <array>

namespace takt_guard
{

struct Settings
{
  bool executors = false;    ///< watch the callbacks of executors
  bool all_threads = false;  ///< also on threads that are not real-time
  bool children = false;     ///< programs that this one starts are guarded, too
  std::array<char, 400> folder{};
};

/// Read when the library is loaded. Real-time safe.
const Settings & settings() noexcept;

/// Takes the variables, and this library in LD_PRELOAD, out of the environment, unless children are to be guarded.
/// Set-up only.
void forget_variables() noexcept;

}  // namespace takt_guard

#endif  // SETTINGS_HPP_
