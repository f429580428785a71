// Joins the reports of an executor's spins into one entry.
#ifndef EXEC__SUMMED_EXECUTORS_HPP_
#define EXEC__SUMMED_EXECUTORS_HPP_

#include <nlohmann/json_fwd.hpp>

namespace takt_exec
{

/// Adds `report`, the report of one spin, to `executors`. A report of the same executor (process,
/// name, kind and executor of the schedule) is joined with its entry: runs, counts and times add
/// up, extremes are those of all spins, and threads are those of the last spin. `spins` counts the
/// reports. Percentiles become null, because they cannot be computed from the percentiles of the
/// spins.
void add_spin(nlohmann::ordered_json & executors, nlohmann::ordered_json report);

}  // namespace takt_exec

#endif  // EXEC__SUMMED_EXECUTORS_HPP_
