// The distribution of times: count, extremes, mean, spread and percentiles, as in the statistics
// document.
#ifndef TAKT_TRACE__SRC__REPORT__DISTRIBUTION_HPP_
#define TAKT_TRACE__SRC__REPORT__DISTRIBUTION_HPP_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "takt_trace/long_vector.hpp"

namespace takt_trace::detail
{

/// {"count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p99_ns", "max_ns"}. Without values the
/// times are null. A percentile with less than ten values beyond it is null, too. Allocates.
nlohmann::ordered_json distribution_json(LongVector<std::int64_t> times);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__DISTRIBUTION_HPP_
