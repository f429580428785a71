// The trials of keys that only save wake-ups: their number and time are limited, because each takes
// an analysis and a simulation.
#ifndef TAKT_PLAN__SRC__PROGRAMS__PLAN_TRIALS_HPP_
#define TAKT_PLAN__SRC__PROGRAMS__PLAN_TRIALS_HPP_

#include <cstddef>
#include <functional>
#include <string>

namespace takt_plan::program
{

/// A limit that does not depend on time, so that the same system gets the same plan everywhere.
inline constexpr std::size_t kMostTrials = 200;

/// Counts the trials of one search. Set-up only.
class Trials
{
public:
  using Tell = std::function<void(std::size_t tried, std::size_t of)>;

  /// `in_time`: false ends the search. `tell`: called with the number of candidates tried, and of
  /// all candidates.
  Trials(std::function<bool()> in_time, Tell tell, std::size_t most = kMostTrials);

  /// False: the time or the number of trials ends the search.
  bool may_go_on() const;
  /// Counts one trial.
  void count();
  void tell(std::size_t tried, std::size_t of) const;

  /// Says how many of the candidates have not been tried, and why: "78 of 80 sequences were not
  /// tried: ..."
  std::string why_ended(const std::string & candidates, std::size_t left, std::size_t of) const;

private:
  std::function<bool()> in_time_;
  Tell tell_;
  std::size_t most_;
  std::size_t tried_ = 0;
};

}  // namespace takt_plan::program

#endif  // TAKT_PLAN__SRC__PROGRAMS__PLAN_TRIALS_HPP_
