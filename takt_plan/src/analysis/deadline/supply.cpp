#include "takt_plan/supply.hpp"

#include <algorithm>

namespace takt_plan
{

Supply Supply::dedicated()
{
  return {};
}

Supply Supply::periodic(Ns budget, Ns period)
{
  return constrained(budget, period, period);
}

Supply Supply::constrained(Ns budget, Ns deadline, Ns period)
{
  Supply supply;
  supply.budget_ = budget;
  supply.period_ = period;
  supply.deadline_ = deadline;
  return supply;
}

Supply Supply::steps(std::vector<std::pair<Ns, Ns>> steps)
{
  Supply supply;
  supply.steps_ = std::move(steps);
  return supply;
}

Ns Supply::in(Ns length) const
{
  if (!steps_.empty()) {
    Ns amount = 0;
    for (const auto & [interval, step] : steps_) {
      amount = interval <= length ? step : amount;
    }
    return amount;
  }
  const Ns none = add(period_ - budget_, deadline_ - budget_);
  if (length <= none) {
    return 0;
  }
  const Ns after = length - none;
  return after / period_ * budget_ + std::min(after % period_, budget_);
}

Ns Supply::time_for(Ns amount) const
{
  if (amount <= 0) {
    return 0;
  }
  if (!steps_.empty()) {
    const auto found = std::find_if(
      steps_.begin(), steps_.end(), [&](const auto & step) { return step.second >= amount; });
    return found == steps_.end() ? kUnbounded : found->first;
  }
  const Ns whole = (amount - 1) / budget_;  // periods with a whole budget before the amount is
                                            // reached
  return add(
    add(add(period_ - budget_, deadline_ - budget_), multiply(whole, period_)),
    amount - whole * budget_);
}

}  // namespace takt_plan
