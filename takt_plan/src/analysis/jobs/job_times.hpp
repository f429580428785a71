// Times of a node's jobs, one hyperperiod after the other.
//
// Pure functions and small values; a list allocates when it is made.
#ifndef TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_TIMES_HPP_
#define TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_TIMES_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt_plan/nanoseconds.hpp"

namespace takt_plan::detail
{

/// Rounded down, also below zero. `b` > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept
{
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The number of the job of the first hyperperiod that it is, some hyperperiods later or earlier.
constexpr std::size_t within(std::int64_t job, std::int64_t jobs) noexcept
{
  return static_cast<std::size_t>(job - floor_div(job, jobs) * jobs);
}

/// A time of each job of a hyperperiod; that of job k + n is one hyperperiod later than that of job k.
class JobTimes
{
public:
  JobTimes() = default;
  JobTimes(std::int64_t jobs, Ns hyperperiod)
  : hyperperiod_(hyperperiod),
    times_(static_cast<std::size_t>(jobs), 0)
  {
  }

  std::int64_t jobs() const noexcept { return static_cast<std::int64_t>(times_.size()); }
  Ns hyperperiod() const noexcept { return hyperperiod_; }
  /// Of a job of the first hyperperiod.
  Ns & operator[](std::int64_t job) { return times_[static_cast<std::size_t>(job)]; }
  Ns operator[](std::int64_t job) const { return times_[static_cast<std::size_t>(job)]; }
  /// Of any job.
  Ns at(std::int64_t job) const noexcept
  {
    const std::int64_t turn = floor_div(job, jobs());
    return (*this)[job - turn * jobs()] + turn * hyperperiod_;
  }

  /// How many jobs, counted from job 0, have an earlier time than `time`. Of rising times only.
  std::int64_t before(Ns time) const noexcept
  {
    const std::int64_t turn = floor_div(time - times_.front(), hyperperiod_);
    const Ns within = time - turn * hyperperiod_;
    return turn * jobs() +
           (std::lower_bound(times_.begin(), times_.end(), within) - times_.begin());
  }

  /// Each at least as late as the ones before.
  JobTimes rising_up() const
  {
    JobTimes result = *this;
    Ns last = *std::max_element(times_.begin(), times_.end()) - hyperperiod_;
    for (Ns & time : result.times_) {
      last = time = std::max(last, time);
    }
    return result;
  }

  /// Each at most as late as the ones behind.
  JobTimes rising_down() const
  {
    JobTimes result = *this;
    Ns next = *std::min_element(times_.begin(), times_.end()) + hyperperiod_;
    for (auto time = result.times_.rbegin(); time != result.times_.rend(); ++time) {
      next = *time = std::min(next, *time);
    }
    return result;
  }

  const std::vector<Ns> & all() const noexcept { return times_; }
  friend bool operator==(const JobTimes &, const JobTimes &) = default;

private:
  Ns hyperperiod_ = 1;
  std::vector<Ns> times_;
};

/// When the jobs of a node are released and end.
struct JobWindow
{
  JobTimes earliest, latest;  ///< release
  JobTimes end;               ///< at the latest
  JobTimes sent;              ///< its messages, at the latest
  JobTimes from, to;          ///< `earliest` and `latest`, rising
  std::vector<char>
    may_miss;  ///< per job: it may not come at all, since a set may drop the message before it
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_TIMES_HPP_
