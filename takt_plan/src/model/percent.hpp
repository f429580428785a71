// Prints shares for people: "85 %", "85.3 %".
#ifndef MODEL__PERCENT_HPP_
#define MODEL__PERCENT_HPP_

#include <string>

namespace takt_plan
{

enum class Rounding
{
  tenths,  ///< to the nearest tenth of a percent
  down,    ///< whole percent, for limits: never more than the share
  up       ///< whole percent, for needs: never less than the share
};

/// `share`: 1 is the whole. Shares beyond ten thousand times the whole print as "more than 1000000
/// %". Set-up only: allocates.
std::string percent(long double share, Rounding rounding = Rounding::tenths);

}  // namespace takt_plan

#endif  // MODEL__PERCENT_HPP_
