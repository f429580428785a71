// Recordings without the rights that they need.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "takt_rt/thread_attributes.hpp"
#include "takt_trace/recording.hpp"

namespace takt_trace
{
namespace
{

// Runs in a child that has given up its rights.
TEST(RecordingRights, WithoutRightsAWitnessWarnsAndTheRestIsRecorded)
{
  std::string folder = testing::TempDir() + "rights.XXXXXX";
  RecordingOptions options;
  options.folder = ::mkdtemp(folder.data());
  options.stalls = true;
  std::filesystem::permissions(options.folder, std::filesystem::perms::all);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) {
      ::_exit(10);
    }
    if (takt_rt::may_use_realtime(99)) {
      ::_exit(11);
    }
    const auto begun = start_recording(options);
    if (!begun.ok() || begun->warnings.size() != 1) {
      ::_exit(12);
    }
    const std::string words = sentences(begun->warnings).front();
    const bool names_it =
      words == "stalls of the host are not witnessed: no right to SCHED_FIFO 99 (see `ulimit -r`)";
    const auto file = stop_recording();
    ::_exit(!names_it ? 13 : !file.ok() ? 14 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 11) {
    GTEST_SKIP() << "every user has the right";
  }
  std::filesystem::remove_all(options.folder);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
}

// Runs in a child without memory for another stack.
TEST(RecordingRights, AWitnessWhoseThreadsCannotStartWarnsAndTheRestIsRecorded)
{
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer itself needs more memory";
#endif
  if (!takt_rt::may_use_realtime(99)) {
    GTEST_SKIP() << "no right to SCHED_FIFO 99";
  }
  RecordingOptions options;
  options.stalls = true;
  options.last = std::chrono::seconds(1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t room = 1U << 20U;
    const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + room;
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) {
      ::_exit(10);
    }
    const auto begun = start_recording(options);
    if (!begun.ok() || begun->warnings.size() != 1 || !recording()) {
      ::_exit(11);
    }
    const std::string words = sentences(begun->warnings).front();
    ::_exit(words.find("stalls of the host are not witnessed: ") == 0 ? 0 : 12);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace takt_trace
