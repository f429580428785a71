// The analysis that a bound comes from.
#ifndef TAKT_PLAN__ANALYSIS_KIND_HPP_
#define TAKT_PLAN__ANALYSIS_KIND_HPP_

#include <string_view>

namespace takt_plan
{

/// The analyses. `takt explain --json` has their names (explanation.json).
enum class Analysis
{
  priority,  ///< threads of fixed OS priority, by `priority` or `fifo`: priority_bounds.hpp
  window,    ///< threads of fixed OS priority, order `window`:
             ///< src/analysis/window/window_bounds.hpp
  pool,      ///< callbacks that several threads of fixed OS priority may run: pool_equations.hpp
  deadline,  ///< threads of policy deadline with any order: src/analysis/deadline/reservations.hpp
  jobs,  ///< the windows of all jobs of timers with known phases: src/analysis/jobs/job_windows.hpp
  several  ///< the parts of a chain have bounds of different analyses
};

/// The name of the enumerator.
constexpr std::string_view to_string(Analysis analysis) noexcept
{
  switch (analysis) {
    case Analysis::priority:
      return "priority";
    case Analysis::window:
      return "window";
    case Analysis::pool:
      return "pool";
    case Analysis::deadline:
      return "deadline";
    case Analysis::jobs:
      return "jobs";
    case Analysis::several:
      break;
  }
  return "several";
}

}  // namespace takt_plan

#endif  // TAKT_PLAN__ANALYSIS_KIND_HPP_
