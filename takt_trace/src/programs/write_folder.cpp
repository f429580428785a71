#include "write_folder.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace takt_trace::programs
{

namespace fs = std::filesystem;

bool takes_a_trace(const std::string & folder)
{
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  return !fs::exists(status) || (fs::is_directory(status) && fs::is_empty(folder, error));
}

namespace
{

/// Writes the files of a trace, one at a time. Keeps the first fault, and writes nothing after it.
class Files
{
public:
  explicit Files(std::string folder) : folder_(std::move(folder)) {}

  std::ostream & open(const std::string & name)
  {
    close();
    path_ = fs::path(folder_) / name;
    std::error_code error;
    fs::create_directories(path_.parent_path(), error);
    if (error && fault_.empty()) {
      fault_ = path_.string() + " cannot be written: " + error.message();
    }
    out_ = std::ofstream();
    if (fault_.empty()) {
      errno = 0;
      out_.open(path_, std::ios::binary | std::ios::trunc);
    } else {
      out_.setstate(std::ios::badbit);
    }
    return out_;
  }

  /// Returns the fault; empty: none.
  std::string close()
  {
    if (!path_.empty() && fault_.empty()) {
      out_.close();
      if (!out_) {
        fault_ = path_.string() + " cannot be written: " + std::strerror(errno);
      }
    }
    return fault_;
  }

private:
  const std::string folder_;
  fs::path path_;
  std::ofstream out_;
  std::string fault_;
};

}  // namespace

std::string write_folder(const std::string & folder, const std::vector<LongTrace> & traces)
{
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return folder + " cannot be written: " + error.message();
  }
  Files files(folder);
  write_ctf_trace(
    traces, [&](const std::string & path) -> std::ostream & { return files.open(path); });
  return files.close();
}

}  // namespace takt_trace::programs
