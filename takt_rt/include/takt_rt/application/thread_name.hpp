// The name of a thread as Linux keeps it. Set-up only: allocates.
#ifndef TAKT_RT__APPLICATION__THREAD_NAME_HPP_
#define TAKT_RT__APPLICATION__THREAD_NAME_HPP_

#include <cstddef>
#include <string>

#include "takt_rt/attributes.hpp"

namespace takt_rt
{

/// Bytes of a thread's name that Linux keeps. See prctl(2), PR_SET_NAME.
inline constexpr std::size_t kLongestThreadName = 15;

/// `attributes` with as much of the name as Linux keeps: for a thread whose whole name another
/// program gave, or takt made of other names. `validate` and `apply` accept such a name. A letter
/// of several bytes (UTF-8) is kept whole or not at all.
inline ThreadAttributes with_kept_name(ThreadAttributes attributes)
{
  std::string & name = attributes.name;
  if (name.size() > kLongestThreadName) {
    std::size_t kept = kLongestThreadName;
    while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80) {
      --kept;
    }
    name.resize(kept);
  }
  return attributes;
}

}  // namespace takt_rt

#endif  // TAKT_RT__APPLICATION__THREAD_NAME_HPP_
