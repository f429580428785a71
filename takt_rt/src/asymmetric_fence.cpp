#include "takt_rt/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace takt_rt
{
namespace
{

bool membarrier(int command) noexcept
{
  const int saved_errno = errno;
  const bool done = ::syscall(SYS_membarrier, command, 0, 0) == 0;
  errno = saved_errno;
  return done;
}

}  // namespace

bool has_heavy_fence() noexcept
{
  static const bool has = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
                          membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  return has;
}

void heavy_fence() noexcept
{
  // A child process may have to register anew.
  if (
    !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) &&
    !(membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
      membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))) {
    std::fputs("takt_rt::heavy_fence: the kernel refuses membarrier(2)\n", stderr);
    std::abort();
  }
}

}  // namespace takt_rt
