#include "channel_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <system_error>

namespace takt_channel
{
namespace
{

bool is_ours(const std::string & path)
{
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

constexpr mode_t kPermissions = 0777;
constexpr mode_t kBegun = 0200;

bool is_connection(std::string_view path)
{
  constexpr std::string_view kEnding = ".connection";
  return path.size() > kEnding.size() && path.substr(path.size() - kEnding.size()) == kEnding;
}

// iceoryx2 removes the begun connections of ended processes, but waits without end for an empty one
// if the process may read all files, as root's may. So the connection gets a byte. Its maker, if
// it lives, then makes it longer.
void make_removable(const std::string & connection)
{
  const int file = ::open(connection.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0) {
    give_memory(file, 1);
    ::close(file);
  }
}

// Removes a file that a killed process has begun: a finished file has other permissions.
void remove_if_half_made(const std::string & path)
{
  constexpr time_t kWait = 1;
  struct stat status = {};
  if (
    ::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
    (status.st_mode & kPermissions) != kBegun) {
    return;
  }
  if (!is_connection(path) || ::time(nullptr) - status.st_ctime > kWait) {
    ::unlink(path.c_str());
  } else if (status.st_size == 0) {
    make_removable(path);
  }
}

std::vector<std::string> ours_that_begin_with(std::string_view prefix)
{
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(kSharedMemory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.compare(0, prefix.size(), prefix) == 0 && is_ours(entry->path())) {
      found.push_back(entry->path());
    }
  }
  return found;
}

}  // namespace

int give_memory(int file, std::int64_t bytes)
{
  // Before Linux 6.11, a signal ends each call for memory of tmpfs and takes back what the call
  // gave: short calls come through.
  constexpr std::int64_t kStep = 256 << 10;
  for (std::int64_t begin = 0; begin < bytes; begin += kStep) {
    int error = EINTR;
    while (error == EINTR) {
      error = ::posix_fallocate(file, begin, std::min(kStep, bytes - begin));
    }
    if (error != 0) {
      return error;
    }
  }
  return 0;
}

std::string bell_path(const std::string & channel)
{
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  std::string readable;
  for (const char c : channel) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    readable += plain ? c : '_';
  }
  constexpr std::size_t kMostReadable = 100;
  if (readable.size() > kMostReadable) {
    readable.erase(0, readable.size() - kMostReadable);
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return std::string(kSharedMemory) + "/" + std::string(kBellPrefix) + readable + "_" + digits;
}

std::string folder_of(const std::string & bell)
{
  constexpr std::size_t kDigits = 16;
  return std::string(kSharedMemory) + "/takt_channel_" + std::to_string(::geteuid()) + "_" +
         bell.substr(bell.size() - kDigits);
}

std::vector<std::string> bells_of_this_user()
{
  return ours_that_begin_with(kBellPrefix);
}

void remove_half_made(const std::string & folder)
{
  const std::string name = std::filesystem::path(folder).filename();
  for (const std::string & path : ours_that_begin_with(name)) {
    remove_if_half_made(path);
  }
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    remove_if_half_made(entry->path());
  }
}

bool reserve_parts(const std::string & folder)
{
  const std::string name = std::filesystem::path(folder).filename();
  bool enough = true;
  for (const std::string & path : ours_that_begin_with(name)) {
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat status = {};
    constexpr off_t kBlock = 512;
    if (
      file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_blocks * kBlock < status.st_size) {
      enough = give_memory(file, status.st_size) == 0 && enough;
    }
    if (file >= 0) {
      ::close(file);
    }
  }
  return enough;
}

void remove_parts(const std::string & folder)
{
  const std::string name = std::filesystem::path(folder).filename();
  for (const std::string & path : ours_that_begin_with(name)) {
    // A part that cannot be removed stays, and opening the channel says so.
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

}  // namespace takt_channel
