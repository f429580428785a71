// One measurement: the processes of a setting, their counters, and the stalls of the host
// meanwhile.
#ifndef TAKT_BENCH__SRC__DATA_PATH__MEASUREMENT_HPP_
#define TAKT_BENCH__SRC__DATA_PATH__MEASUREMENT_HPP_

#include <nlohmann/json.hpp>

#include "data_path/setting.hpp"
#include "takt_rt/result.hpp"

namespace takt_bench::data_path
{

/// The document `data_path`. The setting passes `check`. Forks, so the caller must have one thread
/// only; all children end with the call, or with the caller. Faults: the way does not work here,
/// messages did not arrive, a child died. May block.
takt_rt::Result<nlohmann::ordered_json> measure(const Setting & setting);

}  // namespace takt_bench::data_path

#endif  // TAKT_BENCH__SRC__DATA_PATH__MEASUREMENT_HPP_
