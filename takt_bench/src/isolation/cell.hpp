// One measurement: a system model under a schedule, one child process for each executor of the
// model.
#ifndef TAKT_BENCH__SRC__ISOLATION__CELL_HPP_
#define TAKT_BENCH__SRC__ISOLATION__CELL_HPP_

#include <nlohmann/json.hpp>

#include "isolation/setting.hpp"
#include "takt_rt/result.hpp"

namespace takt_bench::isolation
{

/// Forks, so the caller must have one thread only. Waits for all children; they end with the
/// caller. Faults: parts of the model that the program does not support, refusals of the schedule
/// or the kernel, a child that died. May block.
takt_rt::Result<nlohmann::ordered_json> measure(const Setting & setting);

}  // namespace takt_bench::isolation

#endif  // TAKT_BENCH__SRC__ISOLATION__CELL_HPP_
