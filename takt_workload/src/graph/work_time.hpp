// The CPU time that a run of a callback uses, or the time that it sleeps: fixed, or drawn from a
// distribution.
//
// Deterministic: the value of a run depends only on the seed, the callback and the run's number. So
// two runs of one graph have the same load in any order of scheduling.
#ifndef TAKT_WORKLOAD__SRC__GRAPH__WORK_TIME_HPP_
#define TAKT_WORKLOAD__SRC__GRAPH__WORK_TIME_HPP_

#include <cstdint>

#include "takt_rt/time.hpp"

namespace takt_workload
{

struct WorkTime
{
  enum class Shape
  {
    constant,
    uniform,
    normal
  };

  Shape shape = Shape::constant;
  takt_rt::Duration mean{};
  takt_rt::Duration deviation{};  ///< normal only
  takt_rt::Duration shortest{};   ///< uniform and normal; normal values are clamped to [shortest,
                                  ///< longest]
  takt_rt::Duration longest{};

  static WorkTime constant(takt_rt::Duration value);
  static WorkTime uniform(takt_rt::Duration shortest, takt_rt::Duration longest);
  static WorkTime normal(
    takt_rt::Duration mean, takt_rt::Duration deviation, takt_rt::Duration shortest,
    takt_rt::Duration longest);

  bool none() const noexcept { return longest.count() == 0; }

  /// The value for run number `run` of callback number `callback`. Real-time safe.
  takt_rt::Duration sample(
    std::uint64_t seed, std::uint32_t callback, std::uint64_t run) const noexcept;

  /// The same distribution with all values multiplied by `factor`.
  WorkTime scaled(double factor) const;

  friend bool operator==(const WorkTime &, const WorkTime &) = default;
};

/// A number in [0, 1) from a seed and two counters (SplitMix64). Real-time safe.
double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) noexcept;

}  // namespace takt_workload

#endif  // TAKT_WORKLOAD__SRC__GRAPH__WORK_TIME_HPP_
