#include "report/distribution.hpp"

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "takt_rt/percentile.hpp"

namespace takt_trace::detail
{
namespace
{

using nlohmann::ordered_json;

/// `times` must be sorted.
ordered_json percentile(const LongVector<std::int64_t> & times, double q)
{
  const auto rank = takt_rt::supported_rank(times.size(), q);
  return rank ? ordered_json(times[*rank - 1]) : ordered_json(nullptr);
}

}  // namespace

ordered_json distribution_json(LongVector<std::int64_t> times)
{
  if (times.empty()) {
    return {{"count", 0},        {"min_ns", nullptr}, {"mean_ns", nullptr}, {"stddev_ns", nullptr},
            {"p50_ns", nullptr}, {"p99_ns", nullptr}, {"max_ns", nullptr}};
  }
  times.sort(std::less<>());
  const auto count = static_cast<long double>(times.size());
  long double sum = 0;
  for (const std::int64_t time : times) {
    sum += static_cast<long double>(time);
  }
  const long double mean = sum / count;
  long double squares = 0;
  for (const std::int64_t time : times) {
    const long double away = static_cast<long double>(time) - mean;
    squares += away * away;
  }
  const auto rounded = [](long double value) { return static_cast<std::int64_t>(value + 0.5L); };
  return {
    {"count", times.size()},
    {"min_ns", times.front()},
    {"mean_ns", rounded(mean)},
    {"stddev_ns", rounded(std::sqrt(squares / count))},
    {"p50_ns", percentile(times, 0.5)},
    {"p99_ns", percentile(times, 0.99)},
    {"max_ns", times.back()}};
}

}  // namespace takt_trace::detail
