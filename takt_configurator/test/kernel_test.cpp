// Limits of another process, by the kernel's own call.
#include "kernel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "support/child.hpp"

namespace takt_configurator
{
namespace
{

TEST(LinuxKernelLimits, AreRaisedAndNeverLowered)
{
  int ready[2];
  int go[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(go), 0);
  test::Child child([&]() -> std::string {
    const rlimit own{10, 40};
    char byte = ::setrlimit(RLIMIT_RTPRIO, &own) == 0 ? '+' : '-';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(go[0], &byte, 1);
    rlimit now{};
    ::getrlimit(RLIMIT_RTPRIO, &now);
    return std::to_string(now.rlim_cur) + " of " + std::to_string(now.rlim_max);
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  LinuxKernel kernel;
  rlimit before{};
  if (byte == '+') {
    EXPECT_EQ(kernel.raise_rtprio_limit(child.pid(), 30, before), 0);
    EXPECT_EQ(before.rlim_cur, 10U);
    EXPECT_EQ(kernel.raise_rtprio_limit(child.pid(), 20, before), 0);
    EXPECT_EQ(before.rlim_cur, 30U);
  } else {
    EXPECT_EQ(kernel.raise_rtprio_limit(child.pid(), 40, before), EPERM);
  }
  (void)!::write(go[1], "x", 1);
  const std::string seen = child.result();
  for (const int end : {ready[0], ready[1], go[0], go[1]}) {
    ::close(end);
  }
  if (byte != '+') {
    GTEST_SKIP() << "needs a hard limit RLIMIT_RTPRIO of 40";
  }
  EXPECT_EQ(seen, "30 of 40");
}

TEST(LinuxKernelLimits, OfNoProcessAreAnError)
{
  LinuxKernel kernel;
  rlimit before{};
  EXPECT_EQ(kernel.raise_rtprio_limit(0x3ffffffe, 30, before), ESRCH);
}

}  // namespace
}  // namespace takt_configurator
