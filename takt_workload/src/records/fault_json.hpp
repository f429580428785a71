// Faults, refusals and attributes of threads as JSON, for records that another process of takt
// reads. Set-up only.
#ifndef RUN__FAULT_JSON_HPP_
#define RUN__FAULT_JSON_HPP_

#include <nlohmann/json.hpp>

#include "takt_rt/fault.hpp"

namespace takt_workload
{

nlohmann::json pack_attributes(const takt_rt::ThreadAttributes & attributes);
nlohmann::json pack_faults(const takt_rt::Faults & faults);

/// Both throw nlohmann::json::exception for JSON that `pack` did not make.
takt_rt::ThreadAttributes unpack_attributes(const nlohmann::json & packed);
takt_rt::Faults unpack_faults(const nlohmann::json & packed);

}  // namespace takt_workload

#endif  // RUN__FAULT_JSON_HPP_
