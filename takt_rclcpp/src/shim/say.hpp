// One line of the shim on standard error.
#ifndef SHIM__SAY_HPP_
#define SHIM__SAY_HPP_

#include <unistd.h>

#include <string>

namespace takt_preload
{

/// One write, so that lines of several threads and processes do not mix.
inline void say(const std::string & line)
{
  const std::string text = "[takt] " + line + "\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // Standard error is closed.
  }
}

}  // namespace takt_preload

#endif  // SHIM__SAY_HPP_
