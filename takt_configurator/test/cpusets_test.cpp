// Cpusets of deadline threads: with the kernel's cgroup v1, and as files of cgroup v2.
#include "cpusets.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "peer.hpp"
#include "request_handler.hpp"
#include "support/child.hpp"
#include "support/daemon.hpp"
#include "support/fake_machine.hpp"
#include "support/talk.hpp"
#include "takt_control/configurator_client.hpp"
#include "takt_core/thread_attributes.hpp"

namespace takt_configurator
{
namespace
{

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using takt_core::Policy;
using takt_core::ThreadAttributes;

const std::string kV1 = "/sys/fs/cgroup/cpuset";

bool has_children(const std::string & folder)
{
  for (const auto & entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) {
      return true;
    }
  }
  return false;
}

/// Switches load balancing of the whole machine off, for the moment that the test takes.
class NoLoadBalance
{
public:
  NoLoadBalance() { test::write_file(kV1 + "/cpuset.sched_load_balance", "0"); }
  ~NoLoadBalance() { test::write_file(kV1 + "/cpuset.sched_load_balance", "1"); }
};

/// A thread that runs: one that sleeps counts on the core on which it last ran.
class Busy
{
public:
  Busy() { tid_.wait(0); }
  ~Busy() { end(); }
  pid_t tid() const { return tid_; }
  void end()
  {
    end_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }

private:
  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> end_ = false;
  std::thread thread_{[this] {
    tid_ = ::gettid();
    tid_.notify_all();
    while (!end_) {
      ::sched_yield();
    }
  }};
};

class CpusetsV1 : public ::testing::Test
{
protected:
  void SetUp() override
  {
    const Cpusets left_by_a_test_that_failed(fs::exists(kV1) ? kV1 : "", table_);
    if (
      !test::has_rights() || !fs::exists(kV1 + "/cpuset.sched_load_balance") || has_children(kV1) ||
      test::read_file(kV1 + "/cpuset.sched_load_balance") != "1\n" ||
      takt_core::usable_cores().size() < 2) {
      GTEST_SKIP()
        << "needs root, two cores, and cgroup v1 with a cpuset hierarchy that nobody uses";
    }
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    near_ = FileDescriptor(ends[0]);
    far_ = FileDescriptor(ends[1]);
    peer_ = *read_peer(near_.get(), table_);
    policy_ = *takt_schedule::parse_configurator_policy(
      "version: 1\ncpusets: {root: " + kV1 +
        "}\nrules: [{users: any, policies: [deadline, fifo, other], max_priority: 9, "
        "deadline_bandwidth: 0.5}]",
      "p");
  }
  std::string apply(RequestHandler & handler, pid_t tid, const ThreadAttributes & asked)
  {
    takt_control::FrameDecoder decoder;
    decoder.feed(test::apply_frame(tid, asked));
    const auto frame = decoder.next();
    decoder.feed(handler.handle(peer_, *frame));
    return test::reasons(*takt_control::read_answer(decoder.next()->payload));
  }
  static ThreadAttributes deadline(int core)
  {
    ThreadAttributes asked;
    asked.policy = Policy::deadline;
    asked.runtime = 1ms;
    asked.deadline = asked.period = 10ms;
    asked.cores = {core};
    return asked;
  }

  ProcFiles table_;
  LinuxKernel kernel_;
  FileDescriptor near_;
  FileDescriptor far_;
  Peer peer_;
  takt_schedule::ConfiguratorPolicy policy_;
};

TEST_F(CpusetsV1, GiveADeadlineThreadCoresOfItsOwn)
{
  const NoLoadBalance no_balance;
  RequestHandler handler(policy_, table_, kernel_);
  const int core = takt_core::usable_cores().back();
  Busy waiter;
  EXPECT_EQ(apply(handler, waiter.tid(), deadline(core)), "");
  auto now = takt_core::read_attributes(waiter.tid());
  EXPECT_EQ(now.policy, Policy::deadline);
  EXPECT_EQ(now.cores, std::vector<int>{core});
  // The same thread again uses the same cpuset.
  EXPECT_EQ(apply(handler, waiter.tid(), deadline(core)), "");
  EXPECT_TRUE(handler.has_chores());
  // Another one cannot have the core, and is where it was.
  Busy other;
  const auto before = takt_core::read_attributes(other.tid());
  EXPECT_NE(apply(handler, other.tid(), deadline(core)).find("does not take"), std::string::npos);
  EXPECT_EQ(takt_core::read_attributes(other.tid()), before);
  waiter.end();
  while (table_.start_time(::getpid(), waiter.tid())) {
  }
  handler.do_chores();
  EXPECT_FALSE(handler.has_chores());
  EXPECT_FALSE(has_children(kV1));
}

TEST_F(CpusetsV1, AreGivenBackWithThePolicy)
{
  const NoLoadBalance no_balance;
  RequestHandler handler(policy_, table_, kernel_);
  Busy waiter;
  EXPECT_EQ(apply(handler, waiter.tid(), deadline(takt_core::usable_cores().back())), "");
  EXPECT_EQ(apply(handler, waiter.tid(), {.policy = Policy::fifo, .priority = 3}), "");
  EXPECT_FALSE(has_children(kV1));
  EXPECT_EQ(takt_core::read_attributes(waiter.tid()).cores, takt_core::usable_cores());
}

TEST_F(CpusetsV1, AreFoundByTheNextDaemon)
{
  const NoLoadBalance no_balance;
  Busy waiter;
  const int core = takt_core::usable_cores().back();
  {
    RequestHandler handler(policy_, table_, kernel_);
    EXPECT_EQ(apply(handler, waiter.tid(), deadline(core)), "");
  }
  fs::create_directory(kV1 + "/takt-1-1-1");  // of a thread that has ended
  RequestHandler handler(policy_, table_, kernel_);
  EXPECT_FALSE(fs::exists(kV1 + "/takt-1-1-1"));
  EXPECT_TRUE(handler.has_chores());
  EXPECT_EQ(apply(handler, waiter.tid(), {.policy = Policy::other}), "");
  EXPECT_FALSE(has_children(kV1));
}

TEST_F(CpusetsV1, NeedAMachineThatIsPreparedForThem)
{
  RequestHandler handler(policy_, table_, kernel_);
  Busy waiter;
  const auto before = takt_core::read_attributes(waiter.tid());
  EXPECT_NE(
    apply(handler, waiter.tid(), deadline(0)).find("cpuset.sched_load_balance is not 0"),
    std::string::npos);
  EXPECT_EQ(takt_core::read_attributes(waiter.tid()), before);
  EXPECT_FALSE(has_children(kV1));
}

// The caller sleeps while it waits for the answer.
TEST_F(CpusetsV1, AreAskedForByAClientThatSleeps)
{
  const NoLoadBalance no_balance;
  test::Daemon daemon(
    "version: 1\ncpusets: {root: " + kV1 +
    "}\nrules: [{users: any, policies: deadline, deadline_bandwidth: 0.5}]");
  for (const int core : takt_core::usable_cores()) {
    const auto seen = test::in_child_as(test::kNobody, [&] {
      takt_control::ConfiguratorClient client(daemon.socket());
      const auto report = client.apply(deadline(core));
      return (report.granted_all() ? "" : to_string(report.faults.front())) +
             format_policy(report.granted) + " on " + takt_core::format_cores(report.granted.cores);
    });
    EXPECT_EQ(
      seen, "SCHED_DEADLINE runtime 1ms deadline 10ms period 10ms on " + std::to_string(core));
  }
  daemon.end(SIGTERM);
  const Cpusets cleaner(kV1, table_);  // as the next daemon does
  EXPECT_FALSE(has_children(kV1));
}

// Only the files: not verified with a kernel.
TEST(CpusetsV2, WriteAThreadedPartition)
{
  const std::string root = test::make_folder();
  test::write_file(root + "/cgroup.controllers", "cpuset");
  test::FakeTable table;
  table.all[{100, 101}] = {7, 1000};
  Cpusets cpusets(root, table);
  EXPECT_EQ(cpusets.place({100, 101, 7}, {2, 3}), "");
  const std::string own = root + "/takt-100-101-7";
  EXPECT_EQ(test::read_file(own + "/cgroup.type"), "threaded");
  EXPECT_EQ(test::read_file(own + "/cpuset.cpus"), "2-3");
  EXPECT_EQ(test::read_file(own + "/cpuset.cpus.partition"), "root");
  EXPECT_EQ(test::read_file(own + "/cgroup.threads"), "101");
  EXPECT_EQ(cpusets.size(), 1U);
  // Real files go with their folder.
  for (const auto & entry : fs::directory_iterator(own)) {
    if (entry.path().filename() != "cgroup.threads") {
      fs::remove(entry.path());
    }
  }
  table.all.clear();
  cpusets.purge();
  EXPECT_EQ(test::read_file(root + "/cgroup.threads"), "101");  // moved back
  EXPECT_EQ(cpusets.size(), 1U);                                // and tried again until it is empty
  fs::remove(own + "/cgroup.threads");
  cpusets.purge();
  EXPECT_EQ(cpusets.size(), 0U);
  EXPECT_FALSE(fs::exists(own));
  fs::remove_all(root);
}

TEST(Cpusets, OfThreadsThatDoNotGetThePolicyAreGivenBackLater)
{
  const std::string root = test::make_folder();
  test::write_file(root + "/cgroup.controllers", "cpuset");
  test::FakeTable table;
  table.all[{100, 101}] = {7, 1000};
  const test::FakeKernel kernel;
  Cpusets cpusets(root, table);
  EXPECT_EQ(cpusets.place({100, 101, 7}, {2}), "");
  fs::remove_all(root + "/takt-100-101-7");
  cpusets.purge(&kernel);
  EXPECT_EQ(cpusets.size(), 1U);
  cpusets.purge(&kernel);
  EXPECT_EQ(cpusets.size(), 0U);
  fs::remove_all(root);
}

TEST(Cpusets, WithoutARootAreNone)
{
  const test::FakeTable table;
  EXPECT_FALSE(Cpusets("", table).available());
}

}  // namespace
}  // namespace takt_configurator
