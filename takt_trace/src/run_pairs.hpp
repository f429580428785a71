// Pairs each run_start with its run_end in the records of one thread.
#ifndef TAKT_TRACE__SRC__RUN_PAIRS_HPP_
#define TAKT_TRACE__SRC__RUN_PAIRS_HPP_

#include <cstddef>
#include <limits>

#include "takt_trace/long_vector.hpp"
#include "takt_trace/record.hpp"

namespace takt_trace::detail
{

inline constexpr std::size_t kNoRecord = std::numeric_limits<std::size_t>::max();

/// For each run_start and run_end the index of the other one; `kNoRecord` for others. An end has
/// its callback and the time of the pick or the start: it belongs to the callback's first start
/// from this time on. Allocates; O(records).
LongVector<std::size_t> pair_runs(const LongVector<Record> & records);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__RUN_PAIRS_HPP_
