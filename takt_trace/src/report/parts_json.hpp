// The parts of a report besides chains: hosts, processes, callbacks, threads, and spans of the
// programs' own code.
//
// Lists, in the order of the traces. Allocate; do not block.
#ifndef TAKT_TRACE__SRC__REPORT__PARTS_JSON_HPP_
#define TAKT_TRACE__SRC__REPORT__PARTS_JSON_HPP_

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "flow/run_index.hpp"

namespace takt_trace::detail
{

nlohmann::ordered_json hosts_json(const std::vector<LongTrace> & processes);
nlohmann::ordered_json processes_json(const std::vector<LongTrace> & processes);
nlohmann::ordered_json callbacks_json(const RunIndex & index);
nlohmann::ordered_json slices_json(const std::vector<LongTrace> & processes);
nlohmann::ordered_json threads_json(const RunIndex & index);

}  // namespace takt_trace::detail

#endif  // TAKT_TRACE__SRC__REPORT__PARTS_JSON_HPP_
