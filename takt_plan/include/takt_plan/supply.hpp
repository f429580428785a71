// How much of a core a thread gets at least, in any interval while it has work.
//
// Pure functions of whole nanoseconds; copying allocates for `steps` only; nothing blocks.
#ifndef TAKT_PLAN__SUPPLY_HPP_
#define TAKT_PLAN__SUPPLY_HPP_

#include <utility>
#include <vector>

#include "takt_plan/nanoseconds.hpp"

namespace takt_plan
{

class Supply
{
public:
  /// A core of its own.
  static Supply dedicated();

  /// A reservation: `budget` in each `period`, 0 < budget <= period, at any time of it. In the
  /// worst case nothing comes for 2 (period - budget).
  static Supply periodic(Ns budget, Ns period);

  /// The same if it comes within `deadline` of the period's beginning, budget <= deadline <=
  /// period. In the worst case nothing comes for period + deadline - 2 budget: one period's budget
  /// came at once, the next one's as late as it may. Later ones follow a period apart.
  static Supply constrained(Ns budget, Ns deadline, Ns period);

  /// An arbitrary one, up to where it is known: (interval, amount) with both rising. The amount holds
  /// from its interval on, up to the next; none before the first, and no more than the last.
  static Supply steps(std::vector<std::pair<Ns, Ns>> steps);

  /// In any interval of `length`, at least.
  Ns in(Ns length) const;

  /// The least length with in(length) >= amount; kUnbounded if there is none.
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
