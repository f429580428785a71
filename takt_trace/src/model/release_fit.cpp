#include "takt_trace/release_fit.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace takt_trace
{
namespace
{

constexpr std::size_t kFewForALine = 10;

}  // namespace

ReleaseFit ReleaseSamples::fit() const noexcept
{
  ReleaseFit fit;
  if (kept_ < kFewForALine) {
    return fit;
  }
  const auto n = static_cast<double>(kept_);
  const double middle = (n - 1) / 2;
  double mean = 0;
  for (std::size_t i = 0; i < kept_; ++i) {
    mean += static_cast<double>(times_[i] - times_[0]) / n;
  }
  double along = 0;
  double square = 0;
  for (std::size_t i = 0; i < kept_; ++i) {
    const double x = static_cast<double>(i) - middle;
    along += x * (static_cast<double>(times_[i] - times_[0]) - mean);
    square += x * x;
  }
  const double step = along / square;  // between kept releases
  const double begin = mean - step * middle;
  double early = 0;
  double late = 0;
  for (std::size_t i = 0; i < kept_; ++i) {
    const double off =
      static_cast<double>(times_[i] - times_[0]) - begin - step * static_cast<double>(i);
    early = std::min(early, off);
    late = std::max(late, off);
  }
  fit.count = count_;
  fit.period = step / static_cast<double>(stride_);
  fit.first = times_[0] + std::llround(begin);
  fit.early = std::llround(early);
  fit.late = std::llround(late);
  return fit;
}

nlohmann::ordered_json fit_json(const ReleaseFit & fit)
{
  if (fit.count == 0) {
    return nullptr;
  }
  return {
    {"releases", fit.count},
    {"period_ns", fit.period},
    {"first_ns", fit.first},
    {"early_ns", fit.early},
    {"late_ns", fit.late}};
}

ReleaseFit read_fit(const nlohmann::ordered_json & json)
{
  ReleaseFit fit;
  if (!json.is_null()) {
    json.at("releases").get_to(fit.count);
    json.at("period_ns").get_to(fit.period);
    json.at("first_ns").get_to(fit.first);
    json.at("early_ns").get_to(fit.early);
    json.at("late_ns").get_to(fit.late);
  }
  return fit;
}

}  // namespace takt_trace
