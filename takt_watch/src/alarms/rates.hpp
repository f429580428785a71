// How fast messages come and are taken, from looks at counts that only grow.
#ifndef TAKT_WATCH__SRC__RATES_HPP_
#define TAKT_WATCH__SRC__RATES_HPP_

#include <cstdint>
#include <deque>
#include <optional>

#include "sample.hpp"

namespace takt_watch
{

/// One callback's last looks, and what was usual before.
class Rates
{
public:
  /// Notes a look. `share`: of the time in which its threads wanted a core, the part in which they had one, since the
  /// look before. `settled`: nothing of it is in alarm, so that what is seen may count as usual.
  void note(takt_core::Time now, const CallbackSample & sample, double share, bool settled);

  /// Messages per second over the shortest time with ten of them, at most the last 64 looks; 0 after one look.
  double arrival_rate() const noexcept { return arrival_rate_; }
  /// Taken messages per second over the same time.
  double service_rate() const noexcept { return service_rate_; }
  /// Messages that came in that time.
  std::uint64_t arrivals() const noexcept { return arrivals_; }
  /// Seconds of processor time of one run, lately; absent: none ended yet.
  const std::optional<double> & run_time() const noexcept { return run_time_; }
  /// As before what is seen now; absent: not known for long enough.
  std::optional<double> usual_rate() const noexcept;
  std::optional<double> usual_run_time() const noexcept;

private:
  struct Look
  {
    takt_core::Time time{};
    std::uint64_t arrivals = 0;
    std::uint64_t taken = 0;
  };
  void measure() noexcept;

  std::deque<Look> looks_;
  double arrival_rate_ = 0;
  double service_rate_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t starts_before_ = 0;
  takt_core::Duration busy_before_{};
  std::optional<double> run_time_;
  double usual_rate_ = 0;
  double usual_run_time_ = 0;
  double learned_ = 0;      // seconds that the usual rate is known for
  double learned_run_ = 0;  // the same of run times
};

}  // namespace takt_watch

#endif  // TAKT_WATCH__SRC__RATES_HPP_
