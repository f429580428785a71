// The memory use of this process. Set-up only: reads /proc.
#ifndef TAKT_BENCH__SRC__ISOLATION__MEMORY_USE_HPP_
#define TAKT_BENCH__SRC__ISOLATION__MEMORY_USE_HPP_

#include <cstdint>
#include <optional>

namespace takt_bench::isolation
{

struct MemoryUse
{
  /// VmRSS: pages that several processes share count in each of them.
  std::int64_t resident_kib = 0;
  std::optional<std::int64_t>
    proportional_kib;  ///< Pss: shared pages count once; absent without smaps_rollup
};

MemoryUse memory_use();

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__MEMORY_USE_HPP_
