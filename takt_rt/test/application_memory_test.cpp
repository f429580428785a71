// Page faults of an application's threads. A program of its own: threads of other tests would leave
// arenas of malloc, which later threads use instead of the reserve.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "takt_rt/application/application.hpp"

namespace takt_rt
{
namespace
{

using namespace std::chrono_literals;

/// Page faults of a thread whose cycles use 4 MB of heap and 32 kB of stack.
std::uint64_t faults_of_cycles(bool prepared)
{
  ApplicationOptions all;
  all.lock_memory = prepared;
  all.heap_bytes = prepared ? std::size_t{64} << 20U : 0;
  all.missing_rights = prepared ? MissingRights::fail : MissingRights::report;
  Application application(all);
  int cycles = 0;
  CyclicOptions options;
  options.period = 1ms;
  application.add(options, [&cycles](const Cycle &) {
    constexpr std::size_t kBytes = std::size_t{4} << 20U;
    const std::unique_ptr<char, decltype(&std::free)> block(
      static_cast<char *>(std::malloc(kBytes)), &std::free);
    std::memset(block.get(), cycles, kBytes);
    volatile char stack[32 * 1024];
    for (std::size_t i = 0; i < sizeof stack; i += 1024) {
      stack[i] = block.get()[i];
    }
    return ++cycles == 20 ? NextCycle::stop : NextCycle::go_on;
  });
  const auto started = application.start();
  if (!started.ok()) {
    return UINT64_MAX;
  }
  application.wait();
  EXPECT_EQ(started->memory_locked, prepared);
  if (prepared) {
    EXPECT_GT(started->memory_took, 0ns);
    EXPECT_GE(started->memory_faults.minor, 1000U) << "the reserve is touched before the start";
  }
  return application.threads()[0]->page_faults().minor;
}

TEST(Application, ItsThreadsTakeNoPageFaultsAfterTheStart)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers replace mlockall with nothing and malloc with theirs";
#endif
  const std::uint64_t prepared = faults_of_cycles(true);
  if (prepared == UINT64_MAX) {
    GTEST_SKIP() << "needs the right to lock memory";
  }
  const std::uint64_t unprepared = faults_of_cycles(false);
  EXPECT_GE(unprepared, 1000U) << "else the test proves nothing";
  // Not zero: the kernel may move pages.
  EXPECT_LE(prepared, unprepared / 100);
}

}  // namespace
}  // namespace takt_rt
