#include "report/distribution.hpp"

#include <cmath>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>

namespace takt_trace::detail
{
namespace
{

using nlohmann::ordered_json;

constexpr std::size_t kLeastForMedian = 20;
constexpr std::size_t kLeastForP99 = 1000;

/// The smallest value that `percent` of all do not exceed. `times` are sorted.
ordered_json percentile(
  const LongVector<std::int64_t> & times, std::size_t percent, std::size_t least)
{
  if (times.size() < least) {
    return nullptr;
  }
  return times[(times.size() * percent + 99) / 100 - 1];
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
    {"p50_ns", percentile(times, 50, kLeastForMedian)},
    {"p99_ns", percentile(times, 99, kLeastForP99)},
    {"max_ns", times.back()}};
}

}  // namespace takt_trace::detail
