// Recordings whose file cannot be made or written, and a fork during a recording.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "takt_trace/recording.hpp"
#include "takt_trace/trace_file.hpp"
#include "takt_trace/tracer.hpp"

namespace takt_trace
{
namespace
{

const Tracer tracer;

class RecordingFailures : public testing::Test
{
protected:
  RecordingFailures()
  {
    std::string pattern = testing::TempDir() + "failures.XXXXXX";
    options_.folder = ::mkdtemp(pattern.data());
    options_.last = std::chrono::hours(1);
  }
  ~RecordingFailures() override { std::filesystem::remove_all(options_.folder); }

  /// Ends the recording, which must have both instants.
  void expect_both()
  {
    tracer.instant("after");
    const auto file = stop_recording();
    ASSERT_TRUE(file.ok()) << file.faults().front();
    EXPECT_EQ(file->records, 2U);
    const auto traces = read_traces(file->path);
    ASSERT_TRUE(traces.ok());
    EXPECT_EQ(traces->front().threads.at(0).records.size(), 2U);
    EXPECT_NE(traces->front().ended, 0);
  }

  RecordingOptions options_;
};

TEST_F(RecordingFailures, AFlightRecordingGoesOnIfItsFileCannotBeMade)
{
  ASSERT_TRUE(start_recording(options_).ok());
  tracer.instant("before");
  const std::string away = options_.folder + ".away";
  std::filesystem::rename(options_.folder, away);
  for (const auto & file : {stop_recording(), snapshot_recording()}) {
    ASSERT_FALSE(file.ok());
    const std::string words = sentences(file.faults()).front();
    EXPECT_NE(words.find("cannot make the trace"), std::string::npos) << words;
    EXPECT_NE(words.find("; the recording goes on"), std::string::npos) << words;
  }
  EXPECT_TRUE(recording());
  std::filesystem::rename(away, options_.folder);
  expect_both();
}

TEST_F(RecordingFailures, AFlightRecordingGoesOnIfTheDiskIsFull)
{
  ASSERT_TRUE(start_recording(options_).ok());
  tracer.instant("before");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{20, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  const auto stopped = stop_recording();
  const auto snapshot = snapshot_recording();
  ::setrlimit(RLIMIT_FSIZE, &before);
  for (const auto & file : {stopped, snapshot}) {
    ASSERT_FALSE(file.ok());
    const std::string words = sentences(file.faults()).front();
    EXPECT_NE(words.find("cannot write the trace " + options_.folder), std::string::npos) << words;
    EXPECT_NE(words.find("; the recording goes on"), std::string::npos) << words;
  }
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder)) << "half a trace";
  expect_both();
}

// Runs in a child with little memory. The owner of a file may make it any size.
TEST_F(RecordingFailures, HolesOfAFileTakeNoMemory)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer itself needs more memory";
#endif
  ASSERT_TRUE(start_recording(options_).ok());
  tracer.instant("before");
  const auto file = stop_recording();
  ASSERT_TRUE(file.ok());
  std::filesystem::resize_file(file->path, std::uintmax_t{2} << 30U);
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto most =
      static_cast<rlim_t>(pages * static_cast<std::size_t>(::getpagesize())) + (rlim_t{64} << 20U);
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
    const auto traces = read_traces(file->path);
    ::_exit(traces.ok() && traces->front().threads.at(0).records.size() == 1 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// A thread of the parent holds the recorder's locks while it writes. The child does not have this
// thread.
TEST_F(RecordingFailures, AChildThatIsForkedWhileAThreadWritesRecords)
{
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "a lock of the parent's other thread is made anew in the child";
#endif
  ASSERT_TRUE(start_recording(options_).ok());
  std::atomic<bool> end{false};
  std::atomic<int> written{0};
  std::thread writer([&] {
    while (!end) {
      const auto file = snapshot_recording();
      written += file.ok() ? 1 : 0;
      if (file.ok()) {
        ::unlink(file->path.c_str());
      }
    }
  });
  int failed = 0;
  for (int i = 0; i < 50 && failed == 0; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);  // ends the child if it waits for ever
      const bool off = !recording();
      const bool begun = start_recording(options_).ok();
      tracer.instant("in the child");
      const auto file = stop_recording();
      ::_exit(off && begun && file.ok() && file->records == 1 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    failed += status == 0 ? 0 : 1;
  }
  EXPECT_EQ(failed, 0);
  end = true;
  writer.join();
  EXPECT_GT(written, 0);
  EXPECT_TRUE(stop_recording().ok());
}

}  // namespace
}  // namespace takt_trace
