// A client may ask for threads of its own process, and for no others.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <thread>

#include "support/child.hpp"
#include "support/daemon.hpp"
#include "support/talk.hpp"
#include "takt_control/configurator_client.hpp"

namespace takt_configurator
{
namespace
{

using takt_control::ConfiguratorClient;
using takt_rt::Policy;
using takt_rt::ThreadAttributes;

constexpr const char * kPolicy =
  "version: 1\nrules: [{users: any, policies: [fifo], max_priority: 9}]";
const ThreadAttributes kFifo{.policy = Policy::fifo, .priority = 7};

class Identity : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (!test::has_rights()) {
      GTEST_SKIP() << "needs root and CAP_SYS_NICE to start a daemon that grants something";
    }
  }
};

TEST_F(Identity, AnotherProcessesThreadIsRefused)
{
  test::Daemon daemon(kPolicy);
  const pid_t stranger = ::getpid();
  const auto before = takt_rt::read_attributes();
  const auto seen = test::in_child_as(test::kNobody, [&] {
    const int socket = test::connect_to(daemon.socket());
    return test::reasons(test::ask(socket, test::apply_frame(stranger, kFifo)));
  });
  EXPECT_NE(seen.find("is not a thread of the process that asks"), std::string::npos) << seen;
  EXPECT_EQ(takt_rt::read_attributes(), before);
}

TEST_F(Identity, NonsenseIdsAreRefused)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    const int socket = test::connect_to(daemon.socket());
    std::string text;
    for (const pid_t tid : {0, -1, 1, 0x3ffffffe, 0x7fffffff}) {
      text += test::reasons(test::ask(socket, test::apply_frame(tid, kFifo))).empty() ? "G" : "r";
    }
    return text;
  });
  EXPECT_EQ(seen, "rrrrr");
}

TEST_F(Identity, AThreadThatRunsAsAnotherUserIsRefused)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::Child([&] {
                      std::atomic<pid_t> tid = 0;
                      std::atomic<bool> end = false;
                      std::thread other([&] {
                        // Changes only this thread: the function of the C library changes all
                        // threads.
                        ::syscall(SYS_setresuid, test::kNobody, test::kNobody, test::kNobody);
                        tid = ::gettid();
                        tid.notify_all();
                        end.wait(false);
                      });
                      tid.wait(0);
                      const int socket = test::connect_to(daemon.socket());
                      const auto text =
                        test::reasons(test::ask(socket, test::apply_frame(tid, kFifo)));
                      end = true;
                      end.notify_all();
                      other.join();
                      return text;
                    }).result();
  EXPECT_NE(seen.find("does not run as user 0"), std::string::npos) << seen;
}

TEST_F(Identity, AProcessThatChangedItsUserMustConnectAgain)
{
  test::Daemon daemon(kPolicy);
  const auto seen =
    test::Child([&] {
      const int socket = test::connect_to(daemon.socket());
      test::ask(socket, test::apply_frame(::gettid(), {.nice = 0}));
      return test::become(test::kNobody)
               ? test::reasons(test::ask(socket, test::apply_frame(::gettid(), kFifo)))
               : "could not become nobody";
    }).result();
  EXPECT_NE(seen.find("does not run as user 0"), std::string::npos) << seen;
}

TEST_F(Identity, AChildOfForkConnectsItself)
{
  test::Daemon daemon(kPolicy);
  const auto seen = test::in_child_as(test::kNobody, [&] {
    ConfiguratorClient client(daemon.socket());
    std::string text = client.apply(kFifo).granted_all() ? "parent " : "refused ";
    return text + test::Child([&] {
                    // Request more than the thread has inherited.
                    auto more = kFifo;
                    more.priority = 9;
                    const auto report = client.apply(more);
                    return format_policy(report.granted);
                  }).result();
  });
  EXPECT_EQ(seen, "parent SCHED_FIFO priority 9");
}

TEST_F(Identity, AProcessInItsOwnPidNamespaceIsFound)
{
  if (!test::has_capability(21)) {
    GTEST_SKIP() << "needs CAP_SYS_ADMIN to make a PID namespace";
  }
  test::Daemon daemon(kPolicy);
  const auto seen = test::Child([&]() -> std::string {
                      if (::unshare(CLONE_NEWPID) != 0) {
                        return "no namespace";
                      }
                      return test::in_child_as(test::kNobody, [&] {
                        ConfiguratorClient client(daemon.socket());
                        std::string text = std::to_string(::gettid()) + " " +
                                           format_policy(client.apply(kFifo).granted);
                        std::thread([&] {
                          text += ", " + std::to_string(::gettid()) + " " +
                                  format_policy(client.apply({.nice = 3}).granted);
                        }).join();
                        return text;
                      });
                    }).result();
  EXPECT_EQ(seen.rfind("1 SCHED_FIFO priority 7, 2 ", 0), 0U) << seen;
}

}  // namespace
}  // namespace takt_configurator
