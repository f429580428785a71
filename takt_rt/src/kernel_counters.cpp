#include "takt_rt/kernel_counters.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>

namespace takt_rt
{
namespace
{

/// "<ns on a core> <ns that it waited for one> <times on a core>". A kernel that does not count says "0 0 0".
std::int64_t wait_in(const char * text, const char * end) noexcept
{
  std::array<std::int64_t, 3> numbers{};
  for (std::int64_t & number : numbers) {
    while (text != end && *text == ' ') {
      ++text;
    }
    const auto [next, error] = std::from_chars(text, end, number);
    if (error != std::errc()) {
      return -1;
    }
    text = next;
  }
  return numbers[2] > 0 ? numbers[1] : -1;
}

}  // namespace

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
  // Acquired: the descriptor that another thread opened is seen with it.
  const int file = file_.load(std::memory_order_acquire);
  if (file < 0) {
    return reading;
  }
  std::array<char, 72> text;
  const ssize_t bytes = ::pread(file, text.data(), text.size(), 0);
  if (bytes > 0) {
    reading.wait = wait_in(text.data(), text.data() + bytes);
  }
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) {
    reading.voluntary = static_cast<std::uint32_t>(usage.ru_nvcsw);
    reading.involuntary = static_cast<std::uint32_t>(usage.ru_nivcsw);
  }
  return reading;
}

}  // namespace takt_rt
