// The folder of a run's reports, and the word that LD_PRELOAD gets.
#include "exec/report_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace takt_exec
{
namespace
{

namespace fs = std::filesystem;

class Variable
{
public:
  Variable(const char * name, const std::string & value) : name_(name)
  {
    if (const char * const before = std::getenv(name); before != nullptr) {
      before_ = before;
    }
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable()
  {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable &) = delete;
  Variable & operator=(const Variable &) = delete;

private:
  const char * name_;
  std::optional<std::string> before_;
};

class ReportFolderTest : public testing::Test
{
protected:
  ReportFolderTest()
  {
    std::string pattern = testing::TempDir() + "/report_folder_test.XXXXXX";
    here_ = ::mkdtemp(pattern.data());
  }
  ~ReportFolderTest() override { fs::remove_all(here_); }

  fs::path folder(const std::string & name) const
  {
    fs::create_directory(here_ / name);
    return here_ / name;
  }
  fs::path library(const std::string & in) const
  {
    const fs::path path = folder(in) / "libtakt_preload.so";
    std::ofstream(path) << "library";
    return path;
  }

  fs::path here_;
};

TEST_F(ReportFolderTest, is_removed_with_what_is_in_it_but_not_with_what_links_lead_to)
{
  const Variable temporary("TMPDIR", here_.string());
  const fs::path installed = library("a b");
  fs::path path;
  {
    const auto made = ReportFolder::make();
    ASSERT_TRUE(made.ok());
    path = made->path();
    EXPECT_EQ(path.parent_path(), here_);
    std::ofstream(path / "71.1.json") << "{}";
    ASSERT_TRUE(preload_word(installed, path).ok());
    EXPECT_FALSE(fs::is_empty(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(installed));
}

TEST_F(ReportFolderTest, needs_a_folder_for_temporary_files_and_says_which_one_it_asked_for)
{
  const std::string missing = (here_ / "missing").string();
  const Variable temporary("TMPDIR", missing);
  const auto made = ReportFolder::make();
  ASSERT_FALSE(made.ok());
  const std::string sentence = to_string(made.faults().front());
  EXPECT_EQ(sentence.find("TMPDIR=" + missing + ": "), 0U) << sentence;
  EXPECT_TRUE(sentence.ends_with("; set TMPDIR to a folder that exists")) << sentence;
}

TEST_F(ReportFolderTest, is_where_it_is_when_the_program_changes_its_directory)
{
  const fs::path before = fs::current_path();
  fs::current_path(here_);
  const Variable temporary("TMPDIR", ".");
  const auto made = ReportFolder::make();
  fs::current_path(before);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->path().is_absolute());
  EXPECT_TRUE(fs::exists(made->path()));
}

TEST_F(ReportFolderTest, gives_the_loader_a_plain_path_as_it_is)
{
  const fs::path plain = library("plain");
  const auto word = preload_word(plain, folder("reports"));
  ASSERT_TRUE(word.ok());
  EXPECT_EQ(*word, plain.string());
  EXPECT_TRUE(fs::is_empty(here_ / "reports"));
}

TEST_F(ReportFolderTest, gives_the_loader_a_word_where_the_path_has_spaces_or_colons)
{
  for (const char * const name : {"with space", "with:colon"}) {
    const fs::path installed = library(name);
    std::ofstream(installed.parent_path() / "libtakt_rclcpp.so") << "beside";
    const fs::path reports = folder(std::string("reports_") + name[5]);
    const auto word = preload_word(installed, reports);
    ASSERT_TRUE(word.ok()) << name;
    EXPECT_EQ(word->find_first_of(" :"), std::string::npos) << *word;
    EXPECT_TRUE(fs::equivalent(*word, installed)) << *word;
    EXPECT_TRUE(fs::exists(fs::path(*word).parent_path() / "libtakt_rclcpp.so")) << *word;
    // A launcher may ask twice.
    const auto again = preload_word(installed, reports);
    ASSERT_TRUE(again.ok()) << to_string(again.faults().front());
    EXPECT_EQ(*again, *word);
  }
}

TEST_F(ReportFolderTest, refuses_where_the_folder_for_temporary_files_has_one_too)
{
  const auto word = preload_word(library("with space"), folder("reports here"));
  ASSERT_FALSE(word.ok());
  const std::string sentence = to_string(word.faults().front());
  EXPECT_NE(sentence.find("set TMPDIR to a folder without"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace takt_exec
