// Count, mean, deviation, extremes and percentiles of samples. All samples are kept.
//
// A percentile is present only if at least ten samples lie beyond it: p50 from 20 samples, p90 from
// 100, p99 from 1000, p99.9 from 10000. Set-up only.
#ifndef TAKT_WORKLOAD__SRC__FIGURES__SUMMARY_HPP_
#define TAKT_WORKLOAD__SRC__FIGURES__SUMMARY_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace takt_workload
{

struct Summary
{
  std::size_t count = 0;
  double mean = 0.0;  ///< 0 without samples, as all others
  double std = 0.0;   ///< standard deviation of the sample
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::optional<std::int64_t> p50, p90, p99, p999;
};

Summary summarise(std::vector<std::int64_t> samples);

/// The smallest sample that at least the share `part` of all samples do not exceed (nearest rank).
/// Empty if fewer than ten samples lie beyond it. `sorted` must be sorted.
std::optional<std::int64_t> percentile(const std::vector<std::int64_t> & sorted, double part);

/// The samples whose mark is 0.
std::vector<std::int64_t> without_stalled(
  const std::vector<std::int64_t> & samples, const std::vector<char> & stalled);

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__FIGURES__SUMMARY_HPP_
