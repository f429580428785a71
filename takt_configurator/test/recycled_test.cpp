// Ids that the kernel reuses: the daemon must not change a thread that has the id of another one.
//
// The request handler runs in this process with the real kernel. The test only controls the moment
// between check and call.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <utility>

#include "peer.hpp"
#include "request_handler.hpp"
#include "support/child.hpp"
#include "support/daemon.hpp"
#include "support/recycled.hpp"
#include "support/talk.hpp"
#include "support/waiter.hpp"

namespace takt_configurator
{
namespace
{

using takt_rt::Policy;
using takt_rt::ThreadAttributes;

/// Runs a function between the daemon's check of the thread and its call.
struct LateKernel : LinuxKernel
{
  takt_rt::AttributeReport apply(const ThreadAttributes & attributes, pid_t tid) override
  {
    std::exchange(before_apply, [] {})();
    return LinuxKernel::apply(attributes, tid);
  }
  std::function<void()> before_apply = [] {};
};

/// As before Linux 6.9: threads have no descriptors.
struct OldTable : ProcFiles
{
  FileDescriptor watch_thread(pid_t) const override { return {}; }
};

/// The broken twin: it sees equal start times for all threads.
struct BlindTable : OldTable
{
  std::optional<std::uint64_t> start_time(pid_t, pid_t) const override { return 1; }
};

class Recycled : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!test::has_rights() || !test::has_capability(21)) {
      GTEST_SKIP() << "needs root, CAP_SYS_NICE, and CAP_SYS_ADMIN to choose ids";
    }
  }

  /// Requests attributes for a thread that ends between check and call. Another process then gets
  /// its id. Returns the attributes of that process at the end.
  ThreadAttributes set_recycled(const ProcessTable & table, std::string & reasons)
  {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const FileDescriptor near(ends[0]);
    const FileDescriptor far(ends[1]);
    const auto peer = read_peer(near.get(), table);
    EXPECT_TRUE(peer.has_value());
    const auto policy = takt_schedule::parse_configurator_policy(
      "version: 1\nrules: [{users: any, policies: [fifo], max_priority: 9}]", "policy");
    EXPECT_TRUE(policy.ok());
    LateKernel kernel;
    RequestHandler handler(*policy, table, kernel);
    test::Waiter waiter;
    const pid_t tid = waiter.tid();
    std::unique_ptr<test::RecycledId> other;
    kernel.before_apply = [&] {
      test::leave_tick(*ProcFiles().start_time(::getpid(), tid));
      waiter.end();
      other = std::make_unique<test::RecycledId>(tid, test::kNobody);
    };
    takt_control::FrameDecoder decoder;
    decoder.feed(test::apply_frame(tid, {.policy = Policy::fifo, .priority = 7}));
    const auto frame = decoder.next();
    decoder.feed(handler.handle(*peer, *frame));
    reasons = test::reasons(*takt_control::read_answer(decoder.next()->payload));
    EXPECT_EQ(other->pid(), tid);
    return takt_rt::read_attributes(tid);
  }
};

TEST_F(Recycled, IsRefusedAndGetsBackWhatNeedsNoRight)
{
  std::string reasons;
  EXPECT_EQ(set_recycled(ProcFiles(), reasons).policy, Policy::other);
  EXPECT_NE(reasons.find("ended while it was being set"), std::string::npos) << reasons;
}

TEST_F(Recycled, IsRefusedByItsStartTimeAlone)
{
  std::string reasons;
  EXPECT_EQ(set_recycled(OldTable(), reasons).policy, Policy::other);
  EXPECT_NE(reasons.find("ended while it was being set"), std::string::npos) << reasons;
}

TEST_F(Recycled, WouldBeSetByADaemonThatDoesNotLookAtStartTimes)
{
  std::string reasons;
  EXPECT_EQ(set_recycled(BlindTable(), reasons).policy, Policy::fifo);
  EXPECT_EQ(reasons, "");
}

// A process connects, hands the connection to its child and ends. Another process gets its id.
TEST_F(Recycled, ProcessOfAnInheritedConnectionIsNotTouched)
{
  test::Daemon daemon("version: 1\nrules: [{users: any, policies: [fifo], max_priority: 9}]");
  int go[2];
  int answer[2];
  ASSERT_EQ(::pipe(go), 0);
  ASSERT_EQ(::pipe(answer), 0);
  const pid_t first = ::fork();
  if (first == 0) {
    const pid_t own = ::getpid();
    const int socket = test::connect_to(daemon.socket());
    // Wait for an answer: the daemon then has read the process that connected.
    test::ask(socket, encode(takt_control::MessageType::error, ""));
    if (::fork() == 0) {
      ::close(go[1]);
      ::close(answer[0]);
      char byte = 0;
      (void)!::read(go[0], &byte, 1);
      const std::string text = test::reasons(
        test::ask(socket, test::apply_frame(own, {.policy = Policy::fifo, .priority = 7})));
      (void)!::write(answer[1], text.data(), text.size());
    }
    ::_exit(0);
  }
  const auto start = ProcFiles().start_time(first, first);
  ::waitpid(first, nullptr, 0);
  test::leave_tick(start.value_or(0));
  const test::RecycledId other(first, 0);
  ASSERT_EQ(other.pid(), first);
  ::close(go[0]);
  ::close(go[1]);
  ::close(answer[1]);
  std::string text;
  char buffer[1024];
  for (ssize_t count = 0; (count = ::read(answer[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(answer[0]);
  EXPECT_NE(text.find("the process that connected has ended"), std::string::npos) << text;
  EXPECT_EQ(takt_rt::read_attributes(first).policy, Policy::other);
}

}  // namespace
}  // namespace takt_configurator
