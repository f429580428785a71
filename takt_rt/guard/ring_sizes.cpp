#include "ring_sizes.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace takt_guard
{
namespace
{

// Best first.
constexpr std::array<RingSizes, 4> kSizes{
  {{4 * kPage, 16 * kPage, 4096},
   {4 * kPage, 8 * kPage, 4096},
   {kPage, 4 * kPage, 4096},
   kSmallest}};

std::uint64_t pages(const RingSizes & sizes) noexcept
{
  return 1 + sizes.faults / kPage + 1 + sizes.stacks / kPage;
}

// The kernel's setting; its default if the file cannot be read.
std::uint64_t kb_of_a_core() noexcept
{
  constexpr std::uint64_t kDefault = 512 + kPage / 1024;
  const int file = ::open("/proc/sys/kernel/perf_event_mlock_kb", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return kDefault;
  }
  std::array<char, 24> text{};
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  std::uint64_t value = 0;
  for (ssize_t i = 0; i < bytes && text[i] >= '0' && text[i] <= '9' && value < (1U << 30U); ++i) {
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return bytes > 0 ? value : kDefault;
}

}  // namespace

RingSizes ring_sizes(std::uint64_t allowed_kb) noexcept
{
  const std::uint64_t share = allowed_kb / (kPage / 1024) / kThreadsWithPlaces;
  for (const RingSizes & sizes : kSizes) {
    if (pages(sizes) <= share) {
      return sizes;
    }
  }
  return {kSmallest.faults, 0, 0};
}

std::uint64_t allowed_kb() noexcept
{
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  rlimit locked{};
  ::getrlimit(RLIMIT_MEMLOCK, &locked);
  constexpr rlim_t kEnough = rlim_t{1} << 30U;
  return kb_of_a_core() * static_cast<std::uint64_t>(std::max(cores, 1L)) +
         std::min(locked.rlim_cur, kEnough) / 1024;
}

}  // namespace takt_guard
