// Count, mean, standard deviation and extremes of a stream of numbers, without storing it.
//
// One thread at a time: copy the object to hand it on. Welford's update keeps the deviation of
// large, close numbers (timestamps in nanoseconds), which a sum of squares would lose.
#ifndef TAKT_RT__RUNNING_STATISTICS_HPP_
#define TAKT_RT__RUNNING_STATISTICS_HPP_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace takt_rt
{

/// Counts values without keeping them. One thread at a time. All functions are real-time safe.
class RunningStatistics
{
public:
  /// Real-time safe, O(1).
  void record(double value) noexcept
  {
    ++count_;
    const double from_old_mean = value - mean_;
    mean_ += from_old_mean / static_cast<double>(count_);
    squares_ += from_old_mean * (value - mean_);
    min_ = count_ == 1 ? value : std::min(min_, value);
    max_ = count_ == 1 ? value : std::max(max_, value);
  }

  /// Adds all values recorded by `other`. Real-time safe, O(1).
  void merge(const RunningStatistics & other) noexcept
  {
    if (other.count_ == 0) {
      return;
    }
    if (count_ == 0) {
      *this = other;
      return;
    }
    const auto here = static_cast<double>(count_);
    const auto there = static_cast<double>(other.count_);
    const double apart = other.mean_ - mean_;
    mean_ += apart * there / (here + there);
    squares_ += other.squares_ + apart * apart * here * there / (here + there);
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  /// The number of recorded values.
  std::uint64_t count() const noexcept { return count_; }

  /// All are 0 without values. Real-time safe, O(1).
  double mean() const noexcept { return mean_; }
  double min() const noexcept { return min_; }
  double max() const noexcept { return max_; }

  /// Of the sample (divided by count - 1); 0 for fewer than two values.
  double standard_deviation() const noexcept
  {
    return count_ < 2 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
  }

private:
  std::uint64_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  ///< sum of squared distances from the mean
  double min_ = 0.0;
  double max_ = 0.0;
};

}  // namespace takt_rt

#endif  // TAKT_RT__RUNNING_STATISTICS_HPP_
