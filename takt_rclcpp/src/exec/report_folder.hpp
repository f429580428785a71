// The folder into which the programs of one run write their reports.
#ifndef EXEC__REPORT_FOLDER_HPP_
#define EXEC__REPORT_FOLDER_HPP_

#include <filesystem>
#include <string>

#include "takt_rt/result.hpp"

namespace takt_exec
{

/// A new folder within the folder for temporary files (TMPDIR). The destructor removes the new
/// folder with its content. Set-up only; may block.
class ReportFolder
{
public:
  static takt_rt::Result<ReportFolder> make();
  /// A new folder in /dev/shm, whose files are never written to a disk. If /dev/shm is not
  /// writable: as `make`.
  static takt_rt::Result<ReportFolder> make_in_memory();

  ReportFolder(ReportFolder && other) noexcept { path_.swap(other.path_); }
  ReportFolder & operator=(ReportFolder &&) = delete;
  ~ReportFolder();

  /// The absolute path.
  const std::filesystem::path & path() const { return path_; }

private:
  explicit ReportFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;  // empty after a move
};

/// The word for LD_PRELOAD that names `library`. The loader splits the variable at spaces and
/// colons and knows no quotes. So if the path has one of these characters, the word leads through a
/// symbolic link that is made in `folder`. The link points to the library's folder, so that the
/// library finds the files beside it. Set-up only; may block.
takt_rt::Result<std::string> preload_word(
  const std::filesystem::path & library, const std::filesystem::path & folder);

}  // namespace takt_exec

#endif  // EXEC__REPORT_FOLDER_HPP_
