// Latencies for the lines of a live demo. Set-up only.
#ifndef LIVE__LATENCIES_JSON_HPP_
#define LIVE__LATENCIES_JSON_HPP_

#include <nlohmann/json.hpp>

#include "takt_rt/histogram.hpp"
#include "takt_rt/percentile.hpp"

namespace takt_workload
{

/// Count, median, p99 and maximum; a percentile that too few values support is null.
inline nlohmann::ordered_json latencies_json(const takt_rt::LogHistogram & values)
{
  const auto percentile = [&values](double q) {
    const auto found = takt_rt::supported_quantile(values, q);
    return found ? nlohmann::ordered_json(*found) : nlohmann::ordered_json();
  };
  return {
    {"count", values.count()},
    {"p50_ns", percentile(0.5)},
    {"p99_ns", percentile(0.99)},
    {"max_ns", values.max()}};
}

}  // namespace takt_workload

#endif  // LIVE__LATENCIES_JSON_HPP_
