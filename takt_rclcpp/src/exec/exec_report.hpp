// What `takt exec` tells when the program has ended: the reports of its adopted executors, joined.
#ifndef EXEC__EXEC_REPORT_HPP_
#define EXEC__EXEC_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace takt_exec
{

/// {"version": 1, "executors": [...]}: all reports in `folder`, by processes and in the order of their ends.
nlohmann::ordered_json join_reports(const std::filesystem::path & folder);

/// One table for each executor: callbacks by the share of a core that they used.
std::string to_text(const nlohmann::ordered_json & report);

}  // namespace takt_exec

#endif  // EXEC__EXEC_REPORT_HPP_
