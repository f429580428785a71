#include "takt_rt/kernel_counters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "takt_rt/ready_time.hpp"

namespace takt_rt
{
KernelCounters::~KernelCounters()
{
  if (const int file = file_.load(); file >= 0) {
    ::close(file);
  }
}

void KernelCounters::open(pid_t tid)
{
  if (file_.load() < 0) {
    const std::string path = "/proc/self/task/" + std::to_string(tid) + "/schedstat";
    file_.store(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
}

KernelReading KernelCounters::read() const noexcept
{
  KernelReading reading;
  // Acquire: pairs with the store of the thread that opened the descriptor.
  const int file = file_.load(std::memory_order_acquire);
  if (file < 0) {
    return reading;
  }
  reading.wait = read_ready_time(file);
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) {
    reading.voluntary = static_cast<std::uint32_t>(usage.ru_nvcsw);
    reading.involuntary = static_cast<std::uint32_t>(usage.ru_nivcsw);
  }
  return reading;
}

}  // namespace takt_rt
