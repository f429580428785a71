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

/// a / b, rounded down, also below zero. `b` > 0.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept
{
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The number of the corresponding job in the first hyperperiod.
constexpr std::size_t within(std::int64_t job, std::int64_t jobs) noexcept
{
  return static_cast<std::size_t>(job - floor_div(job, jobs) * jobs);
}

/// A time for each job of a hyperperiod. The time of job k + n is one hyperperiod later than that
/// of job k.
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
  /// The time of a job of the first hyperperiod.
  Ns & operator[](std::int64_t job) { return times_[static_cast<std::size_t>(job)]; }
  Ns operator[](std::int64_t job) const { return times_[static_cast<std::size_t>(job)]; }
  /// The time of any job.
  Ns at(std::int64_t job) const noexcept
  {
    const std::int64_t turn = floor_div(job, jobs());
    return (*this)[job - turn * jobs()] + turn * hyperperiod_;
  }

  /// The number of jobs from job 0 on with a time before `time`. Only for rising times.
  std::int64_t before(Ns time) const noexcept
  {
    const std::int64_t turn = floor_div(time - times_.front(), hyperperiod_);
    const Ns within = time - turn * hyperperiod_;
    return turn * jobs() +
           (std::lower_bound(times_.begin(), times_.end(), within) - times_.begin());
  }

  /// Raises each time to that of the jobs before it.
  JobTimes rising_up() const
  {
    JobTimes result = *this;
    Ns last = *std::max_element(times_.begin(), times_.end()) - hyperperiod_;
    for (Ns & time : result.times_) {
      last = time = std::max(last, time);
    }
    return result;
  }

  /// Lowers each time to that of the jobs behind it.
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

/// The releases and ends of a node's jobs.
struct JobWindow
{
  JobTimes earliest, latest;  ///< earliest and latest releases
  JobTimes end;               ///< latest ends
  JobTimes sent;              ///< latest times at which its messages are sent
  JobTimes from, to;          ///< `earliest` and `latest`, rising
  std::vector<char>
    may_miss;  ///< per job: it may not come, since a set may drop the message before it
};

}  // namespace takt_plan::detail

#endif  // TAKT_PLAN__SRC__ANALYSIS__JOBS__JOB_TIMES_HPP_
