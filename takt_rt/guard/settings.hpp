// The guard's settings, from the environment (takt_rt/guard/interface.hpp).
#ifndef SETTINGS_HPP_
#define SETTINGS_HPP_

#include <array>

namespace takt_guard
{

struct Settings
{
  bool executors = false;    ///< watch the callbacks of executors
  bool all_threads = false;  ///< also watch threads that are not real-time
  bool children = false;     ///< also guard programs that this one starts
  bool judged = false;       ///< see GuardAccount::is_judged
  std::array<char, 400> folder{};
};

/// The settings, read when the library was loaded. Real-time safe.
const Settings & settings() noexcept;

/// Removes the guard's variables, and this library from LD_PRELOAD, unless the guard also watches
/// children. Set-up only.
void forget_variables() noexcept;

}  // namespace takt_guard

#endif  // SETTINGS_HPP_
