#include "run/held_signals.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace takt_workload
{

namespace
{

constexpr std::int64_t kLongest = 1'000'000'000;  // longest single wait in ns; the whole wait may
                                                  // have no end

std::atomic<bool> came{false};

sigset_t both()
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

// Becomes readable when one of the signals waits.
int signal_file()
{
  static const int file = [] {
    const sigset_t set = both();
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }();
  return file;
}

bool drop_one()
{
  signalfd_siginfo info;
  return read(signal_file(), &info, sizeof info) == sizeof info;
}

}  // namespace

void hold_signals()
{
  const sigset_t set = both();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void release_signals()
{
  while (drop_one()) {
  }
  const sigset_t set = both();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

bool wait_for_signal(takt_rt::Time until)
{
  return wait_for_signal_or({}, until);
}

bool wait_for_signal_or(std::span<pollfd> files, takt_rt::Time until)
{
  std::vector<pollfd> all(files.begin(), files.end());
  all.push_back({signal_file(), POLLIN, 0});
  while (!came.load()) {
    const takt_rt::Time now = takt_rt::now();
    const std::int64_t left = until <= now ? 0 : std::min((until - now).count(), kLongest);
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    const int ready = ppoll(all.data(), all.size(), &timeout, nullptr);
    if (ready > 0 && all.back().revents != 0 && drop_one()) {
      came.store(true);
    }
    if (ready > 0 || until <= now) {
      break;
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].revents = all[i].revents;
  }
  return came.load();
}

}  // namespace takt_workload
