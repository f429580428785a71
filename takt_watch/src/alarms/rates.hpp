// Rates of arrivals and takes, and times of runs, computed from counts at looks.
#ifndef TAKT_WATCH__SRC__RATES_HPP_
#define TAKT_WATCH__SRC__RATES_HPP_

#include <cstdint>
#include <deque>
#include <optional>

#include "sample.hpp"

namespace takt_watch
{

/// Seconds in which threads had a core, and seconds in which they were ready and waited for a core.
struct CoreTime
{
  double had = 0;
  double waited = 0;
};

/// The last looks at one callback, and its usual values.
class Rates
{
public:
  /// Notes a look. `core`: the time of the callback's threads since the last look. `under_way`: the
  /// number of the callback's runs in progress. `settled`: the callback has no alarm, so its values
  /// count as usual ones.
  void note(
    takt_rt::Time now, const CallbackSample & sample, const CoreTime & core, std::size_t under_way,
    bool settled);

  /// Messages per second, over the shortest time with ten messages, but at most the last 64 looks;
  /// 0 after one look. If ten messages would usually have come during a pause, the publisher was
  /// away. Then the pause and the time before it are ignored.
  double arrival_rate() const noexcept { return arrival_rate_; }
  /// Taken messages per second, over the same time as `arrival_rate`.
  double service_rate() const noexcept { return service_rate_; }
  /// The number of messages that came in the time of `arrival_rate`.
  std::uint64_t arrivals() const noexcept { return arrivals_; }
  /// The time of recent runs in seconds, without waits for a core; absent: no run has ended.
  const std::optional<double> & run_time() const noexcept { return run_time_; }
  /// The mean time of the last runs, up to three, that ended within the last ten looks; absent:
  /// none ended.
  const std::optional<double> & latest_run_time() const noexcept { return latest_run_time_; }
  /// The usual rate and the usual run time. Absent: not observed for long enough.
  std::optional<double> usual_rate() const noexcept;
  std::optional<double> usual_run_time() const noexcept;

private:
  struct Look
  {
    takt_rt::Time time{};
    std::uint64_t arrivals = 0;
    std::uint64_t taken = 0;
    std::uint64_t ends = 0;
    double worked = 0;  // the seconds of all ended runs
  };
  void measure() noexcept;
  void measure_runs() noexcept;

  std::deque<Look> looks_;
  double arrival_rate_ = 0;
  double service_rate_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t ends_before_ = 0;
  takt_rt::Duration busy_before_{};
  CoreTime core_;  // the time of the callback's threads since the last ended run
  double worked_ = 0;
  std::optional<double> run_time_;
  std::optional<double> latest_run_time_;
  double usual_rate_ = 0;
  double usual_run_time_ = 0;
  double learned_ = 0;      // seconds of observation of the usual rate
  double learned_run_ = 0;  // seconds of observation of the usual run time
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__RATES_HPP_
