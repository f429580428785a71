#include "reader/file_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace takt_schedule::detail
{

takt_core::Result<std::string> file_text(
  const std::string & path, std::string_view kind, std::size_t most)
{
  using takt_core::Faults;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Faults{path + ": is a directory; name " + std::string(kind)};
  }
  std::ifstream file(path, std::ios::binary);
  const int error = errno;
  if (!file) {
    return Faults{path + ": cannot be read: " + std::strerror(error)};
  }
  std::string text;
  std::array<char, 1U << 16U> part;
  while (file && text.size() <= most) {
    const std::size_t wanted = std::min(part.size(), most + 1 - text.size());
    file.read(part.data(), static_cast<std::streamsize>(wanted));
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad() || (text.empty() && !file.eof())) {
    return Faults{path + ": cannot be read: " + std::strerror(errno)};
  }
  return text;
}

}  // namespace takt_schedule::detail
