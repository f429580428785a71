// Results replace the old file as a whole, and no other file.
#include "takt_schedule/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace takt_schedule
{
namespace
{

namespace fs = std::filesystem;

class OutputFile : public ::testing::Test
{
protected:
  OutputFile()
  {
    std::string name = (fs::temp_directory_path() / "takt_test.XXXXXX").string();
    directory = mkdtemp(name.data());
  }
  ~OutputFile() override { fs::remove_all(directory); }
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

TEST_F(OutputFile, CheckingLeavesNothingAndChangesNothing)
{
  EXPECT_TRUE(check_output(path("new")).ok());
  EXPECT_EQ(files(), 0u);
  std::ofstream(path("old")) << "kept";
  EXPECT_TRUE(check_output(path("old")).ok());
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(content(path("old")), "kept");
}

TEST_F(OutputFile, WhatCannotBeWrittenIsSaidBefore)
{
  EXPECT_FALSE(check_output(directory.string()).ok());
  EXPECT_FALSE(check_output(path("no/such/directory")).ok());
  EXPECT_FALSE(check_output("/proc/nowhere").ok());
}

TEST_F(OutputFile, AReasonOtherThanAMissingFolderIsSaid)
{
  const std::string name = path(std::string(300, 'x'));
  EXPECT_EQ(
    takt_rt::sentences(check_output(name).faults()),
    std::vector<std::string>{name + " cannot be written: File name too long"});
}

TEST_F(OutputFile, AFileIsReplacedAsAWholeAndKeepsItsMode)
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

TEST_F(OutputFile, WhatIsNoFileIsWrittenThroughAndStays)
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

// In a container the same program has the same process id every time.
TEST_F(OutputFile, WhatAKilledRunOfTheSameNumberLeftIsInNobodysWay)
{
  const std::string left = path("r.json." + std::to_string(getpid()) + ".part");
  std::ofstream(left) << "left";
  for (const std::string text : {"first", "second"}) {
    EXPECT_TRUE(check_output(path("r.json")).ok());
    EXPECT_TRUE(write_output(path("r.json"), text).ok());
    EXPECT_EQ(content(path("r.json")), text);
  }
  EXPECT_EQ(content(left), "left");
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace takt_schedule
