#include "takt_schedule/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

namespace takt_schedule
{

namespace fs = std::filesystem;
using takt_rt::Faults;
using takt_rt::Status;

namespace
{

constexpr fs::perms kWritable =
  fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;

Status cannot(const std::string & path, int why)
{
  return Faults{path + " cannot be written: " + std::strerror(why)};
}

// The file that a rename may replace; empty if `path` must be written directly.
std::optional<std::string> replaceable(const std::string & path)
{
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  // Files there lead to something else, even where they look regular.
  if (fs::exists(status) && (path.starts_with("/dev/") || path.starts_with("/proc/"))) {
    return std::nullopt;
  }
  if (fs::is_regular_file(status)) {
    return fs::canonical(path, ignored).string();
  }
  if (status.type() == fs::file_type::not_found && !fs::is_symlink(path, ignored)) {
    return path;
  }
  return std::nullopt;
}

// A random name differs from those of other programs and of killed runs: a process id does not,
// because in a container it is the same each time.
std::string part_of(const std::string & target)
{
  return target + "." + std::to_string(std::random_device{}()) + ".part";
}

}  // namespace

Status check_output(const std::string & path)
{
  if (path == "-") {
    return Faults{"'-' names no file; /dev/stdout is standard output"};
  }
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) {
    return cannot(path.empty() ? "''" : path, path.empty() ? ENOENT : EISDIR);
  }
  int why = 0;
  if (const auto target = replaceable(path)) {
    // Another file replaces it, which the directory allows whatever the file's own permissions.
    const auto status = fs::status(*target, ignored);
    if (
      fs::exists(status) && ((status.permissions() & kWritable) == fs::perms::none ||
                             access(target->c_str(), W_OK) != 0)) {
      return Faults{path + " is write-protected; make it writable, or name another file"};
    }
    const std::string part = part_of(*target);
    const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      unlink(part.c_str());
      return {};
    }
    why = errno;
  }
  // Not opened: opening a pipe waits for its reader, and opening a device may have any effect.
  if (fs::exists(path, ignored)) {
    return access(path.c_str(), W_OK) == 0 ? Status{} : cannot(path, errno);
  }
  if (why == 0) {
    why = access(path.c_str(), F_OK) == 0 ? ENOENT : errno;  // a forbidden folder, a name too long
  }
  return cannot(path, why);
}

bool same_file(const std::string & one, const std::string & other)
{
  std::error_code ignored;
  if (fs::exists(one, ignored) && !fs::is_regular_file(one, ignored)) {
    return one == other;
  }
  return fs::equivalent(one, other, ignored) ||
         fs::weakly_canonical(fs::absolute(one, ignored), ignored) ==
           fs::weakly_canonical(fs::absolute(other, ignored), ignored);
}

Status write_output(const std::string & path, std::string_view text)
{
  const auto target = replaceable(path);
  const std::string part = target ? part_of(*target) : "";
  int file = target ? open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
  const bool renames = file >= 0;
  if (renames) {
    struct stat before
    {
    };
    if (stat(target->c_str(), &before) == 0) {
      [[maybe_unused]] const int kept = fchmod(file, before.st_mode & 07777);
    }
  } else {
    file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  }
  int why = file < 0 ? errno : 0;
  while (why == 0 && !text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      why = errno;
    }
  }
  if (file >= 0 && close(file) != 0 && why == 0) {
    why = errno;
  }
  if (renames && why == 0 && rename(part.c_str(), target->c_str()) != 0) {
    why = errno;
  }
  if (renames && why != 0) {
    unlink(part.c_str());
  }
  return why == 0 ? Status{} : cannot(path, why);
}

}  // namespace takt_schedule
