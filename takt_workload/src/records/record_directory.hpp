// A temporary directory for the records of a split run. The destructor removes it.
#ifndef RECORD_DIRECTORY_HPP_
#define RECORD_DIRECTORY_HPP_

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace takt_workload
{

class RecordDirectory
{
public:
  RecordDirectory()
  {
    std::string name = (std::filesystem::temp_directory_path() / "takt_run.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error(fmt::format("{}: {}", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ~RecordDirectory()
  {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(int part) const { return (path_ / fmt::format("{}.record", part)).string(); }

private:
  std::filesystem::path path_;
};

}  // namespace takt_workload

#endif  // RECORD_DIRECTORY_HPP_
