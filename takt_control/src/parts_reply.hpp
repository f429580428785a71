// What became of a schedule or of a reset, by executor, as the answer has it.
#ifndef TAKT_CONTROL__SRC__PARTS_REPLY_HPP_
#define TAKT_CONTROL__SRC__PARTS_REPLY_HPP_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "registered_threads.hpp"
#include "takt_schedule/applied_part.hpp"

namespace takt_control
{

/// A list of {"name", "parts"}.
nlohmann::json parts_json(const PartsByExecutor & executors);

/// Of `executors` with one name: a rule matches nothing if it matches nothing in any of them, which is told once.
void keep_unmatched_by_all(std::vector<takt_schedule::AppliedPart> & parts, std::size_t executors);

/// Several executors of a process may have one name in the schedule.
void append(
  std::vector<takt_schedule::AppliedPart> & all, std::vector<takt_schedule::AppliedPart> parts);

}  // namespace takt_control

#endif  // TAKT_CONTROL__SRC__PARTS_REPLY_HPP_
