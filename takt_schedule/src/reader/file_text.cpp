#include "takt_schedule/reader/file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace takt_schedule
{
namespace
{

using takt_rt::Faults;

class OpenFile
{
public:
  /// Opens without waiting, because an open of a pipe without a writer would wait for ever. Then
  /// reads normally: a slow writer of a pipe is waited for.
  explicit OpenFile(const std::string & path)
  : file_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))
  {
    if (file_ >= 0) {
      ::fcntl(file_, F_SETFL, ::fcntl(file_, F_GETFL) & ~O_NONBLOCK);
    }
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile & operator=(const OpenFile &) = delete;
  ~OpenFile()
  {
    if (file_ >= 0) {
      ::close(file_);
    }
  }

  bool ok() const { return file_ >= 0; }

  bool is(mode_t type) const
  {
    struct stat status = {};
    return ::fstat(file_, &status) == 0 && (status.st_mode & S_IFMT) == type;
  }

  /// As read(2): 0 at the end, -1 with errno.
  ssize_t read(char * to, std::size_t most) const
  {
    ssize_t count = 0;
    do {
      count = ::read(file_, to, most);
    } while (count < 0 && errno == EINTR);
    return count;
  }

private:
  int file_;
};

}  // namespace

takt_rt::Result<std::string> file_text(
  const std::string & path, std::string_view kind, std::size_t most)
{
  const auto unreadable = [&](int error) {
    return Faults{path + ": cannot be read: " + std::strerror(error)};
  };
  const OpenFile file(path);
  if (!file.ok()) {
    return unreadable(errno);
  }
  if (file.is(S_IFDIR)) {
    return Faults{path + ": is a directory; name " + std::string(kind)};
  }
  std::string text;
  std::array<char, 1U << 16U> part;
  while (text.size() <= most) {
    const ssize_t count = file.read(part.data(), std::min(part.size(), most + 1 - text.size()));
    if (count < 0) {
      return unreadable(errno);
    }
    if (count == 0) {
      break;
    }
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  if (text.empty() && file.is(S_IFIFO)) {
    return Faults{
      path + ": is a pipe without a writer; start the program that writes to it first, or name " +
      std::string(kind)};
  }
  return text;
}

}  // namespace takt_schedule
