// An open channel has all memory of its messages: neither its own first use of a block nor another
// program that fills /dev/shm ends a publisher with SIGBUS.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "channel_files.hpp"
#include "support/hang.hpp"
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

bool write_file(const char * path, const std::string & text)
{
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool done = file >= 0 && ::write(file, text.data(), text.size()) == ssize_t(text.size());
  ::close(file);
  return done;
}

// A namespace of files; for a user that is not root in a namespace of users, in which it has its
// own number.
bool enter_own_namespace()
{
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user == 0) {
    return ::unshare(CLONE_NEWNS) == 0;
  }
  return ::unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 &&
         write_file("/proc/self/setgroups", "deny") &&
         write_file(
           "/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1") &&
         write_file(
           "/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
}

// In a process with a /dev/shm of its own, of `bytes`. Returns the process's code; -1: this user
// may not mount.
template <typename Function>
int with_small_memory(const std::string & bytes, const Function & function)
{
  constexpr int kForbidden = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(static_cast<unsigned>(takt_channel_test::kPatience.count()));
    if (
      !enter_own_namespace() || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
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

// Another program's file that takes the rest of /dev/shm, but for some pages.
class Rest
{
public:
  Rest()
  {
    const std::vector<char> some(kPage);
    while (::write(file_, some.data(), some.size()) > 0) {
      bytes_ += kPage;
    }
  }
  ~Rest() { ::close(file_); }
  Rest(const Rest &) = delete;
  Rest & operator=(const Rest &) = delete;

  bool give_back_a_page()
  {
    bytes_ -= kPage;
    return bytes_ >= 0 && ::ftruncate(file_, bytes_) == 0;
  }

private:
  static constexpr off_t kPage = 4096;
  const int file_ = ::open("/dev/shm/rest", O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600);
  off_t bytes_ = 0;
};

// Opens a port at 0, 1, 2 ... free pages, until it opens. Returns the number of refusals; -1: a
// refusal for another reason.
template <typename Port>
int refusals_until_open(const Options & options)
{
  Rest rest;
  for (int refused = 0;; ++refused) {
    const Opened<Port> port = Port::open(options);
    if (port) {
      return refused;
    }
    if (port.refusal != Refusal::no_memory || !rest.give_back_a_page()) {
      return -1;
    }
  }
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
    const Rest rest;
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

TEST(Memory, NoPortIsKilledWhereTheMemoryOfItsQueuesIsShort)
{
  const int code = with_small_memory("4m", [] {
    Options channel = options();
    channel.max_size = 64;
    channel.depth = 1000;
    const auto one = Publisher::open(channel);
    const auto other = Publisher::open(channel);
    if (!one || !other) {
      return 1;
    }
    if (refusals_until_open<Subscriber>(channel) < 1) {
      return 2;
    }
    const auto subscriber = Subscriber::open(channel);
    if (!subscriber) {
      return 3;
    }
    if (refusals_until_open<Publisher>(channel) < 1) {
      return 4;
    }
    // The first of a channel, which makes all of it.
    Options new_channel = channel;
    new_channel.name = fresh_name();
    return refusals_until_open<Subscriber>(new_channel) < 1 ? 5 : 0;
  });
  if (code == -1) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  EXPECT_EQ(code, 0);
}

// The queues have the depth that the channel was made with.
TEST(Memory, ARefusalSaysHowMuchThePublisherNeedsInTheChannelThatIsThere)
{
  const int code = with_small_memory("8m", [] {
    Options deep = options();
    deep.depth = 10;
    deep.subscribers = 4;
    Options shallow = deep;
    shallow.depth = 1;
    {
      const auto subscriber = Subscriber::open(deep);
      const auto publisher = Publisher::open(shallow);
      const std::string expected = "the publisher needs 1";  // 13 MiB
      if (
        !subscriber || publisher.refusal != Refusal::no_memory || publisher.faults.size() != 1 ||
        to_string(publisher.faults[0]).find(expected) == std::string::npos) {
        return 1;
      }
    }
    const auto subscriber = Subscriber::open(shallow);
    return subscriber && Publisher::open(deep) ? 0 : 2;
  });
  if (code == -1) {
    GTEST_SKIP() << "this user may not mount a tmpfs";
  }
  EXPECT_EQ(code, 0);
}

// The timers of profilers send signals all the time.
TEST(Memory, SignalsDoNotEndTheReservation)
{
  struct sigaction action = {};
  struct sigaction former = {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGALRM, &action, &former), 0);
  const itimerval often = {{0, 500}, {0, 500}};
  const itimerval never = {};
  Options channel = options();
  channel.max_size = 4 << 20;
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const auto publisher = Publisher::open(channel);
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &former, nullptr);
  EXPECT_TRUE(publisher) << to_string(publisher.faults.front());
}

}  // namespace
}  // namespace takt_channel
