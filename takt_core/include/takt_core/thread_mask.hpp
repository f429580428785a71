// Sets of executor threads, one bit for each thread.
#ifndef TAKT_CORE__THREAD_MASK_HPP_
#define TAKT_CORE__THREAD_MASK_HPP_

#include <cstdint>

namespace takt_core
{

/// Bit i stands for executor thread i.
using ThreadMask = std::uint64_t;

/// The most threads of one scheduler; one bit more stands for a visitor.
inline constexpr std::uint32_t kMaxThreads = 63;

}  // namespace takt_core

#endif  // TAKT_CORE__THREAD_MASK_HPP_
