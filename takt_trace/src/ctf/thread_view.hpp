// The records of one thread for streams: with times that never go back, and runs paired with their
// ends.
#ifndef TAKT_TRACE__SRC__CTF__THREAD_VIEW_HPP_
#define TAKT_TRACE__SRC__CTF__THREAD_VIEW_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "run_pairs.hpp"
#include "takt_trace/long_trace.hpp"

namespace takt_trace::detail
{

struct ThreadView
{
  explicit ThreadView(const LongThread & traced)
  : thread(&traced),
    others(pair_runs(traced.records))
  {
    std::int64_t now = 0;
    for (const Record & record : traced.records) {
      times.push_back(now = std::max(now, record.time));
    }
  }

  const LongThread * thread;
  LongVector<std::int64_t> times;  ///< of the records; not negative
  LongVector<std::size_t> others;  ///< for a run_start its end, and the reverse; else `kNoRecord`
};

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__CTF__THREAD_VIEW_HPP_
