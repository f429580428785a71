// The analysis that a bound comes from.
#ifndef TAKT_PLAN__ANALYSIS_KIND_HPP_
#define TAKT_PLAN__ANALYSIS_KIND_HPP_

#include <string_view>

namespace takt_plan
{

/// The analyses.
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
std::string_view to_string(Analysis analysis) noexcept;

}  // namespace takt_plan

#endif  // TAKT_PLAN__ANALYSIS_KIND_HPP_
