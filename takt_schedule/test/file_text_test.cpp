// Reads files that users may name: an existing file, a pipe, other objects.
#include "takt_schedule/reader/file_text.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "takt_schedule/named_system.hpp"
#include "takt_schedule/parse.hpp"

namespace takt_schedule
{
namespace
{

namespace fs = std::filesystem;
using takt_rt::Faults;

class FileText : public testing::Test
{
protected:
  FileText()
  {
    std::string pattern = (fs::temp_directory_path() / "takt_test.XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~FileText() override { fs::remove_all(root_); }

  std::string path(const std::string & name) const { return (root_ / name).string(); }

  std::string pipe() const
  {
    EXPECT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    return path("pipe");
  }

  static takt_rt::Result<std::string> read(const std::string & path, std::size_t most = 1000)
  {
    return file_text(path, "a schedule file", most);
  }

  fs::path root_;
};

TEST_F(FileText, IsReadUpToOneByteMoreThanIsTaken)
{
  std::ofstream(path("long")) << std::string(200'000, 'x');
  EXPECT_EQ(read(path("long"), 150'000)->size(), 150'001U);
  EXPECT_EQ(read(path("long"), 1'000'000)->size(), 200'000U);
  EXPECT_EQ(read("/dev/zero", 99)->size(), 100U);
  EXPECT_EQ(*read("/dev/null"), "");
}

TEST_F(FileText, APipeWithoutAWriterIsRefusedAndNotWaitedFor)
{
  const std::string fifo = pipe();
  EXPECT_EQ(
    read(fifo).faults(),
    Faults{
      fifo + ": is a pipe without a writer; start the program that writes to it "
             "first, or name a schedule file"});
  EXPECT_FALSE(load_schedule(fifo).ok());
}

TEST_F(FileText, APipeIsReadToItsEndHoweverSlowItsWriter)
{
  const std::string fifo = pipe();
  const int keep = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK);  // otherwise the writer could not
                                                                 // open it
  const int writer = ::open(fifo.c_str(), O_WRONLY);
  const std::string text(300'000, 'x');  // more than a pipe holds
  std::thread thread([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t count = ::write(writer, text.data() + at, text.size() - at);
      at += count > 0 ? static_cast<std::size_t>(count) : text.size();
    }
    ::close(writer);
  });
  const auto got = read(fifo, 1'000'000);
  thread.join();
  ::close(keep);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->size(), text.size());
}

TEST_F(FileText, WhatAPipeHeldWhenItsWriterEndedIsRead)
{
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "abc", 3), 3);
  ::close(ends[1]);
  // A shell passes the pipe under this name for `takt check <(...)`.
  const auto text = read("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "abc");
}

TEST_F(FileText, TellsWhyItCannotBeRead)
{
  EXPECT_EQ(
    read(path("nobody")).faults(),
    Faults{path("nobody") + ": cannot be read: No such file or directory"});
  EXPECT_EQ(
    read(root_.string()).faults(),
    Faults{root_.string() + ": is a directory; name a schedule file"});
  const std::string longest(5000, 'a');
  EXPECT_EQ(read(longest).faults(), Faults{longest + ": cannot be read: File name too long"});
}

TEST_F(FileText, ASystemThatASchedulesNamesIsNoPipe)
{
  const std::string fifo = pipe();
  std::ofstream(path("s.yaml")) << "version: 1\nsystem: ./pipe\nexecutors: {}\n";
  EXPECT_EQ(
    sentences(named_system(path("s.yaml"), {}).faults()),
    std::vector<std::string>{
      path("s.yaml") + ":2:9: the model it was made for is not a regular file: '" + path("./pipe") +
      "'; name the model with --system"});
}

}  // namespace
}  // namespace takt_schedule
