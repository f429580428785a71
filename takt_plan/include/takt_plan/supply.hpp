// The least time that a thread gets of a core in an interval in which it has work.
//
// Pure functions of whole nanoseconds. Only copying a supply of `steps` allocates. No function
// blocks.
#ifndef TAKT_PLAN__SUPPLY_HPP_
#define TAKT_PLAN__SUPPLY_HPP_

#include <utility>
#include <vector>

#include "takt_plan/nanoseconds.hpp"

namespace takt_plan
{

/// One supply. Times are in ns.
class Supply
{
public:
  /// A core of its own.
  static Supply dedicated();

  /// A reservation: `budget` at any time within each `period`, 0 < budget <= period. In the worst
  /// case the thread gets no time for 2 (period - budget).
  static Supply periodic(Ns budget, Ns period);

  /// The same within `deadline` after the beginning of each period, budget <= deadline <= period.
  /// In the worst case the thread gets no time for period + deadline - 2 budget: the budget of one
  /// period comes at once, the next one as late as possible. Later budgets follow at distances of
  /// one period.
  static Supply constrained(Ns budget, Ns deadline, Ns period);

  /// A table of (interval, amount), both rising. An amount holds from its interval to the next. It
  /// is zero before the first interval, and constant after the last.
  static Supply steps(std::vector<std::pair<Ns, Ns>> steps);

  /// The least time in an interval of `length`.
  Ns in(Ns length) const;

  /// The smallest length with in(length) >= amount; kUnbounded if there is none.
  Ns time_for(Ns amount) const;

private:
  Supply() = default;

  Ns budget_ = 1;
  Ns period_ = 1;
  Ns deadline_ = 1;
  std::vector<std::pair<Ns, Ns>> steps_;  // empty: periodic
};

}  // namespace takt_plan

#endif  // TAKT_PLAN__SUPPLY_HPP_
