#include "figures/summary.hpp"

#include <algorithm>

#include "takt_rt/percentile.hpp"
#include "takt_rt/running_statistics.hpp"

namespace takt_workload
{

std::optional<std::int64_t> percentile(const std::vector<std::int64_t> & sorted, double part)
{
  const auto rank = takt_rt::supported_rank(sorted.size(), part);
  return rank ? std::optional(sorted[*rank - 1]) : std::nullopt;
}

Summary summarise(std::vector<std::int64_t> samples)
{
  Summary summary;
  summary.count = samples.size();
  if (samples.empty()) {
    return summary;
  }
  takt_rt::RunningStatistics statistics;
  for (const std::int64_t sample : samples) {
    statistics.record(static_cast<double>(sample));
  }
  std::sort(samples.begin(), samples.end());
  summary.mean = statistics.mean();
  summary.std = statistics.standard_deviation();
  summary.min = samples.front();
  summary.max = samples.back();
  summary.p50 = percentile(samples, 0.5);
  summary.p90 = percentile(samples, 0.9);
  summary.p99 = percentile(samples, 0.99);
  summary.p999 = percentile(samples, 0.999);
  return summary;
}

std::vector<std::int64_t> without_stalled(
  const std::vector<std::int64_t> & samples, const std::vector<char> & stalled)
{
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i >= stalled.size() || stalled[i] == 0) {
      kept.push_back(samples[i]);
    }
  }
  return kept;
}

}  // namespace takt_workload
