// How fast messages come and are taken, from looks at counts that only grow.
#ifndef TAKT_WATCH__SRC__RATES_HPP_
#define TAKT_WATCH__SRC__RATES_HPP_

#include <cstdint>
#include <deque>
#include <optional>

#include "sample.hpp"

namespace takt_watch
{

/// Seconds in which threads had a core, and in which they were ready and had none.
struct CoreTime
{
  double had = 0;
  double waited = 0;
};

/// One callback's last looks, and what was usual before.
class Rates
{
public:
  /// Notes a look. `core`: of its threads, since the look before. `under_way`: its runs that go on. `settled`: nothing
  /// of it is in alarm, so that what is seen may count as usual.
  void note(
    takt_rt::Time now, const CallbackSample & sample, const CoreTime & core, std::size_t under_way,
    bool settled);

  /// Messages per second over the shortest time with ten of them, at most the last 64 looks; 0 after one look. A pause in
  /// which ten messages would usually have come does not count, nor what was before it: the publisher was away.
  double arrival_rate() const noexcept { return arrival_rate_; }
  /// Taken messages per second over the same time.
  double service_rate() const noexcept { return service_rate_; }
  /// Messages that came in that time.
  std::uint64_t arrivals() const noexcept { return arrivals_; }
  /// Seconds of one run lately, without waits for a core; absent: none ended yet.
  const std::optional<double> & run_time() const noexcept { return run_time_; }
  /// The same of the last three runs that ended within the last ten looks, or of fewer; absent: none did.
  const std::optional<double> & latest_run_time() const noexcept { return latest_run_time_; }
  /// As before what is seen now; absent: not known for long enough.
  std::optional<double> usual_rate() const noexcept;
  std::optional<double> usual_run_time() const noexcept;

private:
  struct Look
  {
    takt_rt::Time time{};
    std::uint64_t arrivals = 0;
    std::uint64_t taken = 0;
    std::uint64_t ends = 0;
    double worked = 0;  // seconds of all runs that ended so far
  };
  void measure() noexcept;
  void measure_runs() noexcept;

  std::deque<Look> looks_;
  double arrival_rate_ = 0;
  double service_rate_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t ends_before_ = 0;
  takt_rt::Duration busy_before_{};
  CoreTime core_;  // since a run ended
  double worked_ = 0;
  std::optional<double> run_time_;
  std::optional<double> latest_run_time_;
  double usual_rate_ = 0;
  double usual_run_time_ = 0;
  double learned_ = 0;      // seconds that the usual rate is known for
  double learned_run_ = 0;  // the same of run times
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__RATES_HPP_
