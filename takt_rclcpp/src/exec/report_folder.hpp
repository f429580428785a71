// The folder into which the programs of one run write their reports.
#ifndef EXEC__REPORT_FOLDER_HPP_
#define EXEC__REPORT_FOLDER_HPP_

#include <filesystem>
#include <string>

#include "takt_rt/result.hpp"

namespace takt_exec
{

/// A new folder in the one for temporary files (TMPDIR), removed with all that is in it. Set-up only; may block.
class ReportFolder
{
public:
  static takt_rt::Result<ReportFolder> make();

  ReportFolder(ReportFolder && other) noexcept { path_.swap(other.path_); }
  ReportFolder & operator=(ReportFolder &&) = delete;
  ~ReportFolder();

  /// Absolute.
  const std::filesystem::path & path() const { return path_; }

private:
  explicit ReportFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty: moved from
};

/// The word for LD_PRELOAD that names `library`. The loader divides that variable at spaces and colons, and no
/// quotes help: if the path has one, the word leads there by a symbolic link, which is made in `folder`. The
/// link is to the library's folder, so that the library finds beside it what lies there. Set-up only; may block.
takt_rt::Result<std::string> preload_word(
  const std::filesystem::path & library, const std::filesystem::path & folder);

}  // namespace takt_exec

#endif  // EXEC__REPORT_FOLDER_HPP_
