// The system model that a schedule names: its path is found again, in whichever folders both files
// are.
#include "takt_schedule/named_system.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace takt_schedule
{
namespace
{

namespace fs = std::filesystem;

class NamedSystem : public ::testing::Test
{
protected:
  NamedSystem()
  {
    std::string name = (fs::temp_directory_path() / "takt_test.XXXXXX").string();
    root = mkdtemp(name.data());
    for (const char * folder : {"models", "a/b", "c"}) {
      fs::create_directories(root / folder);
    }
    for (const char * model : {"models/car.yaml", "a/car.yaml", "c/car", "c/v1.2"}) {
      std::ofstream(root / model) << "a model\n";
    }
  }
  ~NamedSystem() override { fs::remove_all(root); }

  std::string path(const std::string & name) const { return (root / name).string(); }
  std::vector<std::string> shipped() const { return {path("none"), path("models")}; }

  // The name of `model` in a schedule at `at`.
  std::string said(const std::string & model, const std::string & at) const
  {
    return name_of_system(path(model), path(at), shipped());
  }

  takt_rt::Result<std::string> found(const std::string & system, const std::string & at) const
  {
    std::ofstream(root / at) << "version: 1\nsystem: " << system << "\n";
    return named_system(path(at), shipped());
  }

  fs::path root;
};

TEST_F(NamedSystem, IsSaidRelativeToTheSchedule)
{
  EXPECT_EQ(said("a/car.yaml", "a/s.yaml"), "car.yaml");
  EXPECT_EQ(said("a/car.yaml", "a/b/s.yaml"), "../car.yaml");
  EXPECT_EQ(said("a/car.yaml", "c/s.yaml"), "../a/car.yaml");
}

TEST_F(NamedSystem, IsABareNameIfItIsShippedAndNoOtherFileHasOne)
{
  EXPECT_EQ(said("models/car.yaml", "c/s.yaml"), "car");
  EXPECT_EQ(said("c/car", "c/s.yaml"), "./car");
  EXPECT_EQ(name_of_system(path("models/car.yaml"), path("c/s.yaml"), {}), "../models/car.yaml");
}

TEST_F(NamedSystem, IsFoundAgain)
{
  for (const char * model : {"a/car.yaml", "models/car.yaml", "c/car", "c/v1.2"}) {
    for (const char * at : {"s.yaml", "a/s.yaml", "a/b/s.yaml", "c/s.yaml"}) {
      const auto file = found(said(model, at), at);
      ASSERT_TRUE(file.ok()) << file.faults().front();
      EXPECT_TRUE(fs::equivalent(*file, path(model))) << *file;
    }
  }
}

TEST_F(NamedSystem, IsFoundAgainThroughLinks)
{
  fs::create_directory_symlink(root / "a/b", root / "link");
  const auto file = found(said("a/car.yaml", "link/s.yaml"), "link/s.yaml");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(fs::equivalent(*file, path("a/car.yaml"))) << *file;
}

TEST_F(NamedSystem, IsFoundAgainThroughALinkToTheSchedule)
{
  fs::create_symlink("../a/b/s.yaml", root / "c/link.yaml");
  const auto by_file = found(said("a/car.yaml", "a/b/s.yaml"), "a/b/s.yaml");
  ASSERT_TRUE(by_file.ok());
  const auto by_link = named_system(path("c/link.yaml"), shipped());
  ASSERT_TRUE(by_link.ok());
  EXPECT_TRUE(fs::equivalent(*by_link, *by_file)) << *by_link;
  EXPECT_EQ(said("a/car.yaml", "c/link.yaml"), "../car.yaml")
    << "what is written is what it leads to";
}

TEST_F(NamedSystem, OfTwoShippedOnesTheFirstHasTheName)
{
  fs::create_directory(root / "more");
  std::ofstream(root / "more/car.yaml") << "another\n";
  EXPECT_EQ(
    name_of_system(path("more/car.yaml"), path("s.yaml"), {path("more"), path("models")}), "car");
  EXPECT_EQ(
    name_of_system(path("more/car.yaml"), path("s.yaml"), {path("models"), path("more")}),
    "more/car.yaml");
}

TEST_F(NamedSystem, OfWhatIsNoFileNothingIsSaid)
{
  EXPECT_EQ(name_of_system("/dev/null", path("s.yaml"), {}), "");
  const fs::path before = fs::current_path();
  fs::current_path(root / "a");
  EXPECT_EQ(name_of_system("car.yaml", "/dev/null", {}), "car.yaml");
  EXPECT_EQ(name_of_system("car.yaml", "", {}), "car.yaml");
  fs::current_path(before);
}

TEST_F(NamedSystem, IsFoundAgainWhenBothAreMoved)
{
  const std::string name = said("a/car.yaml", "a/b/s.yaml");
  fs::rename(root / "a", root / "moved");
  const auto file = found(name, "moved/b/s.yaml");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(fs::equivalent(*file, path("moved/car.yaml"))) << *file;
}

TEST_F(NamedSystem, TellsWhatIsWrong)
{
  const std::string at = path("s.yaml");
  EXPECT_EQ(
    to_string(found("lorry", "s.yaml").faults().at(0)),
    at +
      ":2:9: there is no shipped system model 'lorry' (a file in this folder would be "
      "'./lorry'); name the model with --system");
  const std::string kind =
    "system must be the path of the model it was made for; name the model with --system";
  EXPECT_EQ(to_string(found("[a]", "s.yaml").faults().at(0)), at + ":2:9: " + kind);
  for (const char * name : {"", "~", "''"}) {
    const auto empty = found(name, "s.yaml");
    ASSERT_FALSE(empty.ok());
    EXPECT_NE(to_string(empty.faults().at(0)).find(kind), std::string::npos)
      << empty.faults().at(0);
  }
  EXPECT_EQ(
    to_string(found("a/gone.yaml", "s.yaml").faults().at(0)),
    at + ":2:9: the model it was made for is not there: '" + path("a/gone.yaml") +
      "'; name the model with --system");
  std::ofstream(root / "none.yaml") << "version: 1\n";
  EXPECT_EQ(
    named_system(path("none.yaml"), {}).faults().at(0),
    path("none.yaml") + ": it names no system model (system); name it with --system");
  EXPECT_EQ(
    named_system("/dev/null", {}).faults().at(0),
    "/dev/null is not a regular file; name its model with --system");
  EXPECT_FALSE(named_system(path("nobody.yaml"), {}).ok());
  std::ofstream(root / "list.yaml") << "- 1\n";
  EXPECT_FALSE(named_system(path("list.yaml"), {}).ok());
  std::ofstream(root / "empty.yaml") << "";
  EXPECT_FALSE(named_system(path("empty.yaml"), {}).ok());
}

}  // namespace
}  // namespace takt_schedule
