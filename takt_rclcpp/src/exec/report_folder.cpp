#include "exec/report_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace takt_exec
{
namespace
{

namespace fs = std::filesystem;

constexpr const char * kDividers = " :";

// The variable that names the folder of `temp_directory_path`: the first variable here that is set.
std::string temporary_folder_variable()
{
  for (const char * const name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char * const value = std::getenv(name); value != nullptr) {
      return fmt::format("{}={}", name, value);
    }
  }
  return "/tmp";
}

}  // namespace

takt_rt::Result<ReportFolder> ReportFolder::make()
{
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) {
    return takt_rt::Faults{fmt::format(
      "{}: {}; set TMPDIR to a folder that exists", temporary_folder_variable(), error.message())};
  }
  // Make the path absolute, because the program may change its directory.
  std::string path = (fs::absolute(temporary) / "takt-exec-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) {
    return takt_rt::Faults{fmt::format(
      "cannot make a folder in {}: {}; set TMPDIR to a folder that can be written",
      temporary.string(), std::strerror(errno))};
  }
  return ReportFolder(path);
}

takt_rt::Result<ReportFolder> ReportFolder::make_in_memory()
{
  std::string path = "/dev/shm/takt-exec-XXXXXX";
  return ::mkdtemp(path.data()) == nullptr ? make() : ReportFolder(path);
}

ReportFolder::~ReportFolder()
{
  if (!path_.empty()) {
    std::error_code error;
    fs::remove_all(path_, error);
  }
}

takt_rt::Result<std::string> preload_word(const fs::path & library, const fs::path & folder)
{
  if (library.string().find_first_of(kDividers) == std::string::npos) {
    return library.string();
  }
  const fs::path link = fs::absolute(folder) / "takt";
  if (link.string().find_first_of(kDividers) != std::string::npos) {
    return takt_rt::Faults{fmt::format(
      "the loader divides LD_PRELOAD at spaces and colons, and both takt's folder, {}, and the "
      "folder for temporary files, {}, have one; set TMPDIR to a folder without",
      library.parent_path().string(), folder.string())};
  }
  std::error_code error;
  fs::create_directory_symlink(library.parent_path(), link, error);
  std::error_code unread;
  if (error && fs::read_symlink(link, unread) != library.parent_path()) {
    return takt_rt::Faults{
      fmt::format("cannot make the link {}: {}", link.string(), error.message())};
  }
  return (link / library.filename()).string();
}

}  // namespace takt_exec
