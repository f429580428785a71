#include "graph/work_time.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace takt_workload
{

using takt_rt::Duration;

namespace
{

Duration times(Duration value, double factor)
{
  return Duration(std::llround(static_cast<double>(value.count()) * factor));
}

std::uint64_t mix(std::uint64_t value) noexcept
{
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace

double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) noexcept
{
  return static_cast<double>(mix(mix(mix(seed) ^ stream) ^ number) >> 11) * 0x1.0p-53;
}

WorkTime WorkTime::constant(Duration value)
{
  return {Shape::constant, value, Duration{}, value, value};
}

WorkTime WorkTime::uniform(Duration shortest, Duration longest)
{
  return {Shape::uniform, (shortest + longest) / 2, Duration{}, shortest, longest};
}

WorkTime WorkTime::normal(Duration mean, Duration deviation, Duration shortest, Duration longest)
{
  return {Shape::normal, mean, deviation, shortest, longest};
}

Duration WorkTime::sample(
  std::uint64_t seed, std::uint32_t callback, std::uint64_t run) const noexcept
{
  if (shape == Shape::constant) {
    return mean;
  }
  const double first = random_unit(seed, 2 * std::uint64_t{callback}, run);
  if (shape == Shape::uniform) {
    return shortest + times(longest - shortest, first);
  }
  const double second = random_unit(seed, 2 * std::uint64_t{callback} + 1, run);
  const double normal =
    std::sqrt(-2.0 * std::log(1.0 - first)) * std::cos(2.0 * std::numbers::pi * second);
  return std::clamp(mean + times(deviation, normal), shortest, longest);
}

WorkTime WorkTime::scaled(double factor) const
{
  return {
    shape, times(mean, factor), times(deviation, factor), times(shortest, factor),
    times(longest, factor)};
}

}  // namespace takt_workload
