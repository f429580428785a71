// The daemon does not listen at a path where another user could replace the socket.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "listener.hpp"
#include "support/child.hpp"
#include "support/daemon.hpp"

namespace takt_configurator
{
namespace
{

class ListenerPath : public ::testing::Test
{
protected:
  ~ListenerPath() override { std::filesystem::remove_all(folder_); }
  /// The sentence of the fault; empty: none.
  static std::string open(const std::string & path)
  {
    const auto listener = Listener::open(path);
    return listener ? std::string() : to_string(listener.faults().front());
  }
  std::string folder_ = test::make_folder();
};

TEST_F(ListenerPath, IsMadeWithItsFolderForAllUsers)
{
  {
    const auto listener = Listener::open(folder_ + "/run/sock");
    ASSERT_TRUE(listener.ok());
    struct stat found = {};
    ::stat((folder_ + "/run/sock").c_str(), &found);
    EXPECT_EQ(found.st_mode & 0777U, 0666U);
    ::stat((folder_ + "/run").c_str(), &found);
    EXPECT_EQ(found.st_mode & 0777U, 0755U);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/run/sock"));
}

TEST_F(ListenerPath, MayNotBeASymbolicLink)
{
  test::write_file(folder_ + "/victim", "precious");
  ::symlink((folder_ + "/victim").c_str(), (folder_ + "/sock").c_str());
  EXPECT_EQ(
    open(folder_ + "/sock"),
    folder_ + "/sock: this is a symbolic link; remove it, or give another path");
  EXPECT_EQ(test::read_file(folder_ + "/victim"), "precious");
}

TEST_F(ListenerPath, MayNotHaveAFolderThatIsASymbolicLink)
{
  std::filesystem::create_directory(folder_ + "/real");
  ::symlink((folder_ + "/real").c_str(), (folder_ + "/link").c_str());
  EXPECT_NE(open(folder_ + "/link/sock").find("symbolic link"), std::string::npos);
  EXPECT_NE(open(folder_ + "/link/deeper/sock").find("symbolic link"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/real"));
}

TEST_F(ListenerPath, MayNotReplaceAFile)
{
  test::write_file(folder_ + "/sock", "precious");
  EXPECT_NE(open(folder_ + "/sock").find("this is no socket"), std::string::npos);
  EXPECT_EQ(test::read_file(folder_ + "/sock"), "precious");
}

TEST_F(ListenerPath, MayNotHaveAFolderThatOthersWrite)
{
  std::filesystem::create_directory(folder_ + "/shared");
  ::chmod((folder_ + "/shared").c_str(), 01777);
  EXPECT_NE(
    open(folder_ + "/shared/sock").find("can be written by other users"), std::string::npos);
  ::chmod((folder_ + "/shared").c_str(), 0777);
  EXPECT_NE(
    open(folder_ + "/shared/own/sock").find("can be written by other users"), std::string::npos);
}

TEST_F(ListenerPath, MayNotHaveAnotherUsersFolderOrSocket)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to make folders of another user";
  }
  std::filesystem::create_directory(folder_ + "/theirs");
  ASSERT_EQ(::chown((folder_ + "/theirs").c_str(), test::kNobody, test::kNobody), 0);
  EXPECT_NE(open(folder_ + "/theirs/sock").find("belongs to user 65534"), std::string::npos);
  // A dead socket of another user.
  {
    auto listener = Listener::open(folder_ + "/sock");
    ASSERT_TRUE(listener.ok());
    ASSERT_EQ(::link((folder_ + "/sock").c_str(), (folder_ + "/stale").c_str()), 0);
  }
  ASSERT_EQ(::lchown((folder_ + "/stale").c_str(), test::kNobody, test::kNobody), 0);
  EXPECT_NE(open(folder_ + "/stale").find("this socket belongs to user 65534"), std::string::npos);
}

TEST_F(ListenerPath, OfALivingDaemonIsTaken)
{
  const auto first = Listener::open(folder_ + "/sock");
  ASSERT_TRUE(first.ok());
  EXPECT_NE(open(folder_ + "/sock").find("another daemon listens there"), std::string::npos);
}

TEST_F(ListenerPath, OfADeadDaemonIsReplaced)
{
  {
    auto listener = Listener::open(folder_ + "/sock");
    ASSERT_TRUE(listener.ok());
    ASSERT_EQ(::link((folder_ + "/sock").c_str(), (folder_ + "/stale").c_str()), 0);
  }
  EXPECT_EQ(open(folder_ + "/stale"), "");
}

TEST_F(ListenerPath, MustBeAbsoluteAndNotTooLong)
{
  EXPECT_NE(open("sock").find("must be absolute"), std::string::npos);
  EXPECT_NE(open("").find("must be absolute"), std::string::npos);
  EXPECT_NE(open("/").find("must be absolute"), std::string::npos);
  EXPECT_NE(open(folder_ + "/").find("must be absolute"), std::string::npos);
  EXPECT_NE(open("/tmp/" + std::string(120, 'x')).find("at most 107 bytes"), std::string::npos);
}

}  // namespace
}  // namespace takt_configurator
