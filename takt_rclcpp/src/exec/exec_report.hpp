// What `takt exec` tells when the program has ended: the reports of its adopted executors, joined.
#ifndef EXEC__EXEC_REPORT_HPP_
#define EXEC__EXEC_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace takt_exec
{

/// {"version": 1, "executors": [...], "stock": [...], "classes": [...]}: all reports in `folder`, by processes and in the order of
/// their first ends, one entry for each executor (see `add_spin`), and the loops that stayed rclcpp's own ({"pid", "program", "stock", "reason"}), each once. `classes`
/// are those of executors that other libraries define ({"pid", "program", "class"}): takt may not have seen their spin.
nlohmann::ordered_json join_reports(const std::filesystem::path & folder);

/// One table for each executor: callbacks by the share of a core that they used. One line for each loop that
/// stayed rclcpp's own. `status`: as below.
std::string to_text(const nlohmann::ordered_json & report, int status = 0);

/// Why there is no executor in the report, as far as takt knows; empty: there is one. `status`: how the program ended,
/// as `waitpid` gives it; 0 also where that is not known.
std::string no_executor(const nlohmann::ordered_json & report, int status = 0);

}  // namespace takt_exec

#endif  // EXEC__EXEC_REPORT_HPP_
