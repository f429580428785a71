// The barrier of a split run, from a part's side, and where the results of a run go.
#include "split.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "output_file.hpp"
#include "takt_workload/signals.hpp"

namespace takt_workload
{

namespace fs = std::filesystem;

class Barrier : public ::testing::Test
{
protected:
  Barrier() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~Barrier() override
  {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2] = {-1, -1};
};

TEST_F(Barrier, GivesTheEpochThatWasSent)
{
  const std::int64_t sent = 123'456'789;
  ASSERT_EQ(write(ends[0], &sent, sizeof sent), static_cast<ssize_t>(sizeof sent));
  EXPECT_EQ(wait_at_barrier(ends[1]), takt_core::from_ns(sent));
  char word = 0;
  ASSERT_EQ(read(ends[0], &word, 1), 1);
  EXPECT_EQ(word, 'm');
}

TEST_F(Barrier, EndsWhenTheOtherSideIsGone)
{
  shutdown(ends[0], SHUT_WR);
  EXPECT_FALSE(wait_at_barrier(ends[1]).has_value());
}

// A signal is remembered for the whole process, hence a process of its own.
TEST_F(Barrier, EndsWithASignal)
{
  EXPECT_EXIT(
    {
      hold_signals();
      raise(SIGINT);
      _exit(wait_at_barrier(ends[1]).has_value() ? 1 : 0);
    },
    ::testing::ExitedWithCode(0), "");
}

TEST(Signals, EndTheProgramAgainAfterTheyWereReleased)
{
  EXPECT_EXIT(
    {
      hold_signals();
      raise(SIGINT);
      release_signals();  // that one was for the run, and is forgotten
      raise(SIGTERM);
      _exit(0);
    },
    ::testing::KilledBySignal(SIGTERM), "");
}

class Output : public ::testing::Test
{
protected:
  Output()
  {
    std::string name = (fs::temp_directory_path() / "takt_test.XXXXXX").string();
    directory = mkdtemp(name.data());
  }
  ~Output() override { fs::remove_all(directory); }
  std::string path(const std::string & name) const { return (directory / name).string(); }
  static std::string content(const std::string & path)
  {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const
  {
    return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator{}));
  }
  fs::path directory;
};

TEST_F(Output, CheckingLeavesNothingAndChangesNothing)
{
  EXPECT_TRUE(check_output(path("new")).ok());
  EXPECT_EQ(files(), 0u);
  std::ofstream(path("old")) << "kept";
  EXPECT_TRUE(check_output(path("old")).ok());
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(content(path("old")), "kept");
}

TEST_F(Output, WhatCannotBeWrittenIsSaidBefore)
{
  EXPECT_FALSE(check_output(directory.string()).ok());
  EXPECT_FALSE(check_output(path("no/such/directory")).ok());
  EXPECT_FALSE(check_output("/proc/nowhere").ok());
}

TEST_F(Output, AFileIsReplacedAsAWholeAndKeepsItsMode)
{
  std::ofstream(path("old")) << "something longer";
  chmod(path("old").c_str(), 0640);
  fs::create_symlink("old", path("link"));
  ASSERT_TRUE(write_output(path("link"), "new").ok());
  EXPECT_EQ(content(path("old")), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 2u);
  struct stat after
  {
  };
  ASSERT_EQ(stat(path("old").c_str(), &after), 0);
  EXPECT_EQ(after.st_mode & 07777, 0640u);
}

TEST_F(Output, WhatIsNoFileIsWrittenThroughAndStays)
{
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(check_output(path("pipe")).ok());
  ASSERT_TRUE(write_output(path("pipe"), "through").ok());
  char text[16] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_TRUE(write_output("/dev/null", "gone").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace takt_workload
