// An open channel has all memory of its messages: neither its own first use of a block nor another program that fills
// /dev/shm ends a publisher with SIGBUS.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "channel_files.hpp"
#include "support/peer.hpp"
#include "takt_channel/channel.hpp"

namespace takt_channel
{
namespace
{

using takt_channel_test::fresh_name;

constexpr std::size_t kSize = 256 << 10;

Options options()
{
  Options options;
  options.name = fresh_name();
  options.max_size = kSize;
  options.depth = 4;
  return options;
}

// Writes each block of the publisher.
void use_all_blocks(Publisher & publisher)
{
  for (int i = 0; i < 100; ++i) {
    Loan loan = publisher.loan(kSize);
    std::fill_n(loan.data, loan.size, std::byte{1});
    publisher.publish(loan);
  }
}

TEST(Memory, AllBytesOfAnOpenChannelAreThere)
{
  const Options channel = options();
  auto publisher = Publisher::open(channel);
  auto subscriber = Subscriber::open(channel);
  ASSERT_TRUE(publisher && subscriber);
  const std::string parts = std::filesystem::path(folder_of(bell_path(channel.name))).filename();
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  for (const auto & entry : std::filesystem::directory_iterator(kSharedMemory)) {
    struct stat status = {};
    if (
      entry.path().filename().string().rfind(parts, 0) == 0 && entry.is_regular_file() &&
      ::stat(entry.path().c_str(), &status) == 0) {
      ++files;
      bytes += status.st_size;
      EXPECT_GE(status.st_blocks * 512, status.st_size) << entry.path();
    }
  }
  EXPECT_GE(files, 2U);  // the messages and the connection
  // No more than the options ask for: locked memory has all of it.
  const std::uint64_t messages =
    channel.subscribers * (channel.depth + channel.held) + channel.loans + 1;
  EXPECT_LT(bytes, (messages + 1) * kSize);
}

// In a process with a /dev/shm of its own, of `bytes`. Returns the process's code; -1: this user may not mount.
template <typename Function>
int with_small_memory(const std::string & bytes, const Function & function)
{
  constexpr int kForbidden = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool root = ::geteuid() == 0;
    if (
      ::unshare(root ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", kSharedMemory, "tmpfs", 0, ("size=" + bytes).c_str()) != 0) {
      ::_exit(kForbidden);
    }
    ::_exit(function());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return code == kForbidden ? -1 : code;
}

TEST(Memory, PublishersAreRefusedWhereTheirMessagesDoNotFit)
{
  // Room for the messages of two channels, of nearly 7 MiB each.
  const int code = with_small_memory("18m", [] {
    std::vector<Opened<Publisher>> open;
    Opened<Publisher> one;
    while (open.size() < 8 && (one = Publisher::open(options()))) {
      open.push_back(std::move(one));
    }
    if (open.size() != 2 || one.refusal != Refusal::no_memory) {
      return 1;
    }
    // Another program takes the rest.
    const int rest = ::open("/dev/shm/rest", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const std::vector<char> some(1 << 16);
    while (::write(rest, some.data(), some.size()) > 0) {
    }
    for (const Opened<Publisher> & each : open) {
      use_all_blocks(*each.value);
    }
    return 0;
  });
  if (code == -1) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace takt_channel
