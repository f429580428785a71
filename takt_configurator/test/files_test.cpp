// The shipped files: the unit and the sample policy have no faults.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/daemon.hpp"

namespace takt_configurator
{
namespace
{

const std::string kFolder = TAKT_CONFIGURATOR_FOLDER;

TEST(SamplePolicy, IsGood)
{
  const auto outcome =
    test::run_daemon({"--check", "--policy", kFolder + "/policies/configurator.yaml"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, kFolder + "/policies/configurator.yaml: good, 2 rules\n");
}

TEST(DocumentedPolicy, IsGood)
{
  const std::string page = test::read_file(kFolder + "/../docs/configurator.md");
  if (page.empty()) {
    GTEST_SKIP() << "docs/ is not in this checkout";
  }
  const std::string begin = "<!-- policy -->\n```yaml\n";
  const auto from = page.find(begin) + begin.size();
  const std::string folder = test::make_folder();
  test::write_file(folder + "/p.yaml", page.substr(from, page.find("```", from) - from));
  const auto outcome = test::run_daemon({"--check", "--policy", folder + "/p.yaml"});
  EXPECT_EQ(outcome.output, folder + "/p.yaml: good, 2 rules\n");
  std::filesystem::remove_all(folder);
}

TEST(Check, TellsFaultsAndFails)
{
  const std::string folder = test::make_folder();
  test::write_file(folder + "/p.yaml", "version: 1\nrules:\n  - users: any\n    policys: fifo\n");
  const auto outcome = test::run_daemon({"--check", "--policy", folder + "/p.yaml"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(
    outcome.output,
    folder + "/p.yaml:4:5: unknown key 'policys' in a rule; did you mean 'policies'?\n");
  std::filesystem::remove_all(folder);
}

TEST(PolicyFile, MayNotBeOneThatOthersCanChange)
{
  const std::string folder = test::make_folder();
  test::write_file(folder + "/p.yaml", "version: 1\nrules:\n  - users: any\n");
  ::chmod((folder + "/p.yaml").c_str(), 0666);
  const auto outcome =
    test::run_daemon({"--policy", folder + "/p.yaml", "--socket", folder + "/run/sock"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find("other users can change this file"), std::string::npos)
    << outcome.output;
  std::filesystem::remove_all(folder);
}

TEST(PolicyFile, MayNotBeInAFolderInWhichOthersCanPutAnotherOne)
{
  const auto told = [](const std::string & folder) {
    const auto outcome =
      test::run_daemon({"--policy", folder + "/deep/p.yaml", "--socket", folder + "/run/sock"});
    EXPECT_EQ(outcome.code, 2);
    return outcome.output;
  };
  const std::string folder = test::make_folder();
  std::filesystem::create_directory(folder + "/deep");
  test::write_file(folder + "/deep/p.yaml", "version: 1\nrules:\n  - users: any\n");
  ::chmod(folder.c_str(), 0777);
  EXPECT_NE(
    told(folder).find(
      "other users can replace this file, because the folder " + folder + " can be written"),
    std::string::npos)
    << told(folder);
  ::chmod(folder.c_str(), 0755);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
    EXPECT_NE(
      told(folder).find("because the folder " + folder + " belongs to user 65534"),
      std::string::npos)
      << told(folder);
  }
  std::filesystem::remove_all(folder);
}

TEST(PolicyFile, MayNotBeNamedByALinkThatOthersCanChange)
{
  const std::string folder = test::make_folder();
  std::filesystem::create_directory(folder + "/safe");
  std::filesystem::create_directory(folder + "/open");
  test::write_file(folder + "/safe/p.yaml", "version: 1\nrules:\n  - users: any\n");
  std::filesystem::create_symlink(folder + "/safe/p.yaml", folder + "/open/p.yaml");
  std::filesystem::create_symlink(folder + "/safe", folder + "/open/folder");
  ::chmod((folder + "/open").c_str(), 0777);
  for (const char * const file : {"/open/p.yaml", "/open/folder/p.yaml"}) {
    // The socket's folder is bad, so the daemon ends after it has accepted the policy.
    const auto outcome =
      test::run_daemon({"--policy", folder + file, "--socket", folder + "/none/run/sock"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(
      outcome.output.find("because the folder " + folder + "/open can be written"),
      std::string::npos)
      << outcome.output;
  }
  std::filesystem::remove_all(folder);
}

// systemd-analyze needs the unit's programs and user to exist.
TEST(Unit, IsGood)
{
  if (std::system("command -v systemd-analyze >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "needs systemd-analyze";
  }
  const std::string folder = test::make_folder();
  std::string unit = test::read_file(kFolder + "/systemd/takt-configurator.service");
  const auto replace = [&unit](const std::string & what, const std::string & with) {
    std::size_t count = 0;
    for (auto at = unit.find(what); at != std::string::npos;
         at = unit.find(what, at + with.size())) {
      unit.replace(at, what.size(), with);
      ++count;
    }
    EXPECT_GT(count, 0U) << what;
  };
  replace("/usr/local/lib/takt_configurator/takt-configurator", "/bin/true");
  replace("User=takt", "User=root");
  replace(
    "Documentation=file:///usr/share/doc/takt/configurator.md",
    "Documentation=https://example.org");
  test::write_file(folder + "/takt-configurator.service", unit);
  const std::string output = folder + "/output";
  const int code = std::system(
    ("systemd-analyze verify " + folder + "/takt-configurator.service >" + output + " 2>&1")
      .c_str());
  // Other units of the machine may have faults: only lines of this one count.
  const std::string text = test::read_file(output);
  EXPECT_EQ(text.find("takt-configurator.service"), std::string::npos) << text;
  EXPECT_EQ(code, 0) << text;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace takt_configurator
