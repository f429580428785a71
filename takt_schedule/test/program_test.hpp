// Runs programs as users do: by a shell, in a directory of their own.
#ifndef TAKT_SCHEDULE__TEST__PROGRAM_TEST_HPP_
#define TAKT_SCHEDULE__TEST__PROGRAM_TEST_HPP_

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace takt_schedule::test
{

struct Outcome
{
  int code = -1;
  std::string out;
  std::string err;
};

class ProgramTest : public testing::Test
{
protected:
  explicit ProgramTest(std::string program) : program_(std::move(program))
  {
    std::string pattern = (std::filesystem::temp_directory_path() / "takt_test.XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~ProgramTest() override { std::filesystem::remove_all(directory_); }

  void write(const std::string & name, const std::string & text) const
  {
    std::ofstream(directory_ / name) << text;
  }

  std::string content(const std::string & name) const
  {
    std::ifstream file(directory_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path path(const std::string & name) const { return directory_ / name; }

  bool exists(const std::string & name) const { return std::filesystem::exists(path(name)); }

  /// Limits the address space of later runs.
  void limit_memory(std::size_t mebibytes)
  {
    limit_ = "ulimit -v " + std::to_string(mebibytes << 10U) + " && ";
  }

  /// `output`: where the shell redirects standard output.
  Outcome run(const std::string & arguments, const std::string & output = "out") const
  {
    const std::string command = "cd '" + directory_.string() + "' && " + limit_ + "'" + program_ +
                                "' " + arguments + " >" + output + " 2>err";
    const int status = std::system(command.c_str());  // NOLINT: a shell is what users have
    return {
      WIFEXITED(status) ? WEXITSTATUS(status) : -1, output == "out" ? content("out") : "",
      content("err")};
  }

private:
  std::string program_;
  std::string limit_;
  std::filesystem::path directory_;
};

}  // namespace takt_schedule::test

#endif  // TAKT_SCHEDULE__TEST__PROGRAM_TEST_HPP_
