// An executor under the guard: its callbacks are scopes under their ids, and traces show what they
// do.
//
// The program links the guard, and runs with TAKT_GUARD=all.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "takt_host/hosted_executor.hpp"
#include "takt_rt/guard/guard.hpp"
#include "takt_trace/recording.hpp"

namespace takt_host::test
{
namespace
{

using namespace std::chrono_literals;

class Timer : public takt_core::Callback
{
public:
  Timer(const std::string & id, bool allocates) : Callback(options_of(id)), allocates_(allocates) {}

  void run(const takt_core::Run & /*run*/) override
  {
    if (allocates_) {
      const std::vector<int> values(10);
      sum_ += values.size();
    }
    ++runs_;
  }
  int runs() const { return runs_; }

private:
  static takt_core::CallbackOptions options_of(const std::string & id)
  {
    takt_core::CallbackOptions options;
    options.id = id;
    options.kind = takt_core::Kind::timer;
    options.timer = takt_core::TimerOptions{};
    options.timer->period = 1ms;
    return options;
  }

  const bool allocates_;
  std::atomic<int> runs_{0};
  std::size_t sum_ = 0;
};

std::uint64_t count_of(const std::string & id, takt_rt::GuardKind kind)
{
  const takt_rt::GuardAccount & account = *takt_rt::guard_library()->account();
  std::uint64_t count = 0;
  for (const takt_rt::GuardSite & site : account.sites) {
    if (
      site.state == takt_rt::GuardSite::ready && site.kind == kind &&
      id == &account.texts[account.names[site.name].begin]) {
      count += site.count;
    }
  }
  return count;
}

/// Has a folder for the sockets and the recording.
class GuardedExecutor : public testing::Test
{
protected:
  void SetUp() override
  {
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    ::setenv("TAKT_RUNTIME_DIR", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "/guarded_executor.XXXXXX";
};

TEST_F(GuardedExecutor, counts_by_callback_and_shows_events_in_traces)
{
  ASSERT_NE(takt_rt::guard_library(), nullptr);
  ASSERT_EQ(takt_rt::guard_library()->watches_executors(), 1) << "run it with TAKT_GUARD=all";
  {
    auto hosted =
      HostedExecutor::of_options({"none", false, [](const std::string &) {}}, {}, "guarded");
    ASSERT_TRUE(hosted.ok());
    HostedExecutor & executor = **hosted;
    ASSERT_TRUE(executor.record().ok());
    const auto faulty = std::make_shared<Timer>("/node:timer(faulty)", true);
    const auto clean = std::make_shared<Timer>("/node:timer(clean)", false);
    ASSERT_TRUE(executor.core()->add(faulty).ok());
    ASSERT_TRUE(executor.core()->add(clean).ok());
    takt_trace::RecordingOptions options;
    options.folder = folder_;
    ASSERT_TRUE(takt_trace::start_recording(options).ok());
    ASSERT_TRUE(executor.core()->start().ok());
    while (faulty->runs() < 3 || clean->runs() < 3) {
      ::usleep(1000);
    }
    executor.core()->cancel();
    executor.core()->wait();
    const auto file = takt_trace::stop_recording();
    ASSERT_TRUE(file.ok());
    EXPECT_GE(count_of("/node:timer(faulty)", takt_rt::GuardKind::allocation), 3U);
    EXPECT_EQ(count_of("/node:timer(clean)", takt_rt::GuardKind::allocation), 0U);
    std::ifstream in(file->path, std::ios::binary);
    const std::string trace{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(trace.find("guard: allocation"), std::string::npos);
    EXPECT_NE(trace.find("guard: free"), std::string::npos);
    EXPECT_EQ(trace.find("guard: output"), std::string::npos);
  }
}

// The thread's first record is that of a guarded run. The recorder allocates the thread's ring in
// that run, and the guard records this allocation.
TEST_F(GuardedExecutor, records_events_of_a_thread_that_recorded_nothing_before)
{
  {
    auto hosted =
      HostedExecutor::of_options({"none", false, [](const std::string &) {}}, {}, "guarded");
    ASSERT_TRUE(hosted.ok());
    ASSERT_TRUE((**hosted).record().ok());
    takt_core::Executor & core = *(**hosted).core();
    const auto faulty = std::make_shared<Timer>("/node:timer(faulty)", true);
    ASSERT_TRUE(core.add(faulty).ok());
    takt_trace::RecordingOptions options;
    options.folder = folder_;
    ASSERT_TRUE(takt_trace::start_recording(options).ok());
    std::thread([&] {
      while (faulty->runs() < 3) {
        core.spin_some(takt_core::Duration::zero());
        ::usleep(1000);
      }
    }).join();
    const auto file = takt_trace::stop_recording();
    ASSERT_TRUE(file.ok());
    std::ifstream in(file->path, std::ios::binary);
    const std::string trace{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(trace.find("guard: allocation"), std::string::npos);
  }
}

}  // namespace
}  // namespace takt_host::test
