// The sizes of the kernel's rings of page faults (faults.hpp).
#ifndef RING_SIZES_HPP_
#define RING_SIZES_HPP_

#include <cstddef>
#include <cstdint>

namespace takt_guard
{

/// The kernel's unit of memory, on the machines whose faults have stacks.
inline constexpr std::size_t kPage = 4096;

/// The rings of one thread, without the page that the kernel puts before each ring.
struct RingSizes
{
  std::size_t faults = 0;         ///< bytes of the ring of faults; a power of two
  std::size_t stacks = 0;         ///< bytes of the ring of stacks, likewise; 0: without stacks
  std::uint32_t stack_bytes = 0;  ///< of each stack
};

/// The threads for which the memory that the kernel allows is to suffice. Programs of one user
/// share it, and most of them have fewer threads.
inline constexpr std::size_t kThreadsWithPlaces = 48;

/// The smallest rings: room for 170 faults, three of them with 2 kB of stack.
inline constexpr RingSizes kSmallest{kPage, 2 * kPage, 2048};

/// The largest rings of which kThreadsWithPlaces threads together need at most `allowed_kb`; if
/// there are none, the smallest ring of faults, without stacks. Any thread; real-time safe.
RingSizes ring_sizes(std::uint64_t allowed_kb) noexcept;

/// The memory in kB that the kernel allows the rings of this process if no other program of the
/// user has rings: `kernel.perf_event_mlock_kb` for each core, and RLIMIT_MEMLOCK. Set-up only.
std::uint64_t allowed_kb() noexcept;

}  // namespace takt_guard

#endif  // RING_SIZES_HPP_
