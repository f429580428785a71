// What a set of times tells: count, extremes, mean, spread and percentiles, as the statistics document has them.
#ifndef TAKT_TRACE__SRC__REPORT__DISTRIBUTION_HPP_
#define TAKT_TRACE__SRC__REPORT__DISTRIBUTION_HPP_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "takt_trace/long_vector.hpp"

namespace takt_trace::detail
{

/// {"count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p99_ns", "max_ns"}. Without values the times are null; so is a
/// percentile with less than ten values beyond it. Allocates.
nlohmann::ordered_json distribution_json(LongVector<std::int64_t> times);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__DISTRIBUTION_HPP_
