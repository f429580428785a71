#include "takt_workload/signals.hpp"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>

namespace takt_workload
{

namespace
{

std::atomic<bool> came{false};

sigset_t both()
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void hold_signals()
{
  const sigset_t set = both();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool wait_for_signal(takt_core::Time until)
{
  const sigset_t set = both();
  while (!came.load()) {
    const auto left = std::max((until - takt_core::now()).count(), std::int64_t{0});
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    if (sigtimedwait(&set, nullptr, &timeout) > 0) {
      came.store(true);
    } else if (takt_core::now() >= until) {
      break;
    }
  }
  return came.load();
}

}  // namespace takt_workload
