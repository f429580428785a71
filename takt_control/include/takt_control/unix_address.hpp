// The address of a Unix socket that has a path. Any thread; neither allocates nor blocks.
#ifndef TAKT_CONTROL__UNIX_ADDRESS_HPP_
#define TAKT_CONTROL__UNIX_ADDRESS_HPP_

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace takt_control
{

/// Nothing if `path` is empty, or longer than the kernel accepts (107 bytes).
inline std::optional<sockaddr_un> unix_address(std::string_view path) noexcept
{
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return std::nullopt;
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

}  // namespace takt_control

#endif  // TAKT_CONTROL__UNIX_ADDRESS_HPP_
