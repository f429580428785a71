// What `takt exec` tells when the program has ended: the reports of its adopted executors, joined.
#ifndef EXEC__EXEC_REPORT_HPP_
#define EXEC__EXEC_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace takt_exec
{

/// {"version": 1, "executors": [...], "stock": [...], "classes": [...], "unseen": [...]}: all reports in `folder`, by
/// processes and in the order of their first ends, one entry for each executor (see `add_spin`); the loops that stayed
/// rclcpp's own ({"pid", "program", "stock", "reason"}), each once; the classes of executors that other libraries define
/// ({"pid", "program", "class"}), whose spin takt may not have seen; the processes that have rclcpp and called no spin that
/// takt knows ({"pid", "program"}).
nlohmann::ordered_json join_reports(const std::filesystem::path & folder);

/// One table for each executor: callbacks by the share of a core that they used. One line for each loop that
/// stayed rclcpp's own. `status` and `known`: as below.
std::string to_text(
  const nlohmann::ordered_json & report, int status = 0, const std::string & known = "");

/// Why there is no executor in the report, as far as takt knows; empty: there is one. `status`: how the program ended,
/// as `waitpid` gives it; 0 also where that is not known. `known`: why, where that is known (`why_no_report`).
std::string no_executor(
  const nlohmann::ordered_json & report, int status = 0, const std::string & known = "");

/// That executors are in the report and none of them ran under the schedule, which there was; empty: that is not so.
std::string without_schedule(const nlohmann::ordered_json & report);

}  // namespace takt_exec

#endif  // EXEC__EXEC_REPORT_HPP_
