// Shares as people read them: "85 %", "85.3 %".
#ifndef MODEL__PERCENT_HPP_
#define MODEL__PERCENT_HPP_

#include <string>

namespace takt_plan
{

enum class Rounding
{
  tenths,  ///< to the nearest tenth of a percent
  down,    ///< whole percent: what is granted is not less than what is said
  up       ///< whole percent: what is asked for is not more than what is said
};

/// Of a share, where 1 is the whole. Beyond ten thousand times the whole digits tell nothing: "more than
/// 1000000 %". Set-up only: allocates.
std::string percent(long double share, Rounding rounding = Rounding::tenths);

}  // namespace takt_plan

#endif  // MODEL__PERCENT_HPP_
