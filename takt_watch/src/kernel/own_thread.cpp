#include "kernel/own_thread.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace takt_watch
{
namespace
{

constinit thread_local pid_t t_id = 0;

}  // namespace

pid_t own_thread() noexcept
{
  if (t_id == 0) {
    t_id = static_cast<pid_t>(::syscall(SYS_gettid));
  }
  return t_id;
}

void forget_own_thread() noexcept
{
  t_id = 0;
}

}  // namespace takt_watch
