#include "write_folder.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace takt_trace::programs
{

namespace fs = std::filesystem;

bool takes_a_trace(const std::string & folder)
{
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  return !fs::exists(status) || (fs::is_directory(status) && fs::is_empty(folder, error));
}

std::string write_folder(const std::string & folder, const std::vector<CtfFile> & files)
{
  std::error_code error;
  fs::create_directories(folder, error);
  for (const CtfFile & file : files) {
    const fs::path path = fs::path(folder) / file.path;
    if (!error) {
      fs::create_directories(path.parent_path(), error);
    }
    if (error) {
      return path.string() + " cannot be written: " + error.message();
    }
    errno = 0;
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << file.content;
    out.close();
    if (!out) {
      return path.string() + " cannot be written: " + std::strerror(errno);
    }
  }
  return error ? folder + " cannot be written: " + error.message() : std::string();
}

}  // namespace takt_trace::programs
