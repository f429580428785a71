// Which analysis a bound comes from.
#ifndef TAKT_PLAN__ANALYSIS_KIND_HPP_
#define TAKT_PLAN__ANALYSIS_KIND_HPP_

#include <string_view>

namespace takt_plan
{

enum class Analysis
{
  priority,  ///< threads of fixed OS priority, by `priority` or `fifo`: priority_bounds.hpp
  window,    ///< threads of fixed OS priority, by `window`: src/analysis/window/window_bounds.hpp
  pool,      ///< any of several threads of fixed OS priority: pool_equations.hpp
  deadline,  ///< threads of policy deadline, whatever their order: src/analysis/deadline/reservations.hpp
  jobs,  ///< the windows of all jobs of timers with known phases: src/analysis/jobs/job_windows.hpp
  several  ///< of a chain: its parts are of different ones
};

/// Its name above.
std::string_view to_string(Analysis analysis) noexcept;

}  // namespace takt_plan

#endif  // TAKT_PLAN__ANALYSIS_KIND_HPP_
