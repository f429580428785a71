// The report of `takt exec` when the program has ended: joined from the reports of its adopted
// executors.
#ifndef EXEC__EXEC_REPORT_HPP_
#define EXEC__EXEC_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace takt_exec
{

/// The report as JSON from all reports in `folder`; "version" is 1, and these are lists:
///
/// - "executors": one entry for each executor (see `add_spin`), by process and in the order of
///   their first ends.
/// - "stock": each loop that rclcpp itself ran, once ({"pid", "program", "stock", "reason"}).
/// - "classes": classes of executors that other libraries define ({"pid", "program", "class"});
///   takt may not see their spin.
/// - "unseen": processes that have rclcpp and called no spin that takt knows ({"pid", "program"}).
nlohmann::ordered_json join_reports(const std::filesystem::path & folder);

/// The report as text: a table of the callbacks for each executor, by their share of a core, and a
/// line for each loop that rclcpp itself ran. `status` and `known`: see `no_executor`.
std::string to_text(
  const nlohmann::ordered_json & report, int status = 0, const std::string & known = "");

/// Why the report has no executor, as far as takt knows; empty: the report has one. `status`: how
/// the program ended, as `waitpid` returns it; 0 also if unknown. `known`: the reason, if known
/// (`why_no_report`).
std::string no_executor(
  const nlohmann::ordered_json & report, int status = 0, const std::string & known = "");

/// Says that no executor of the report ran under the given schedule; empty: one did, or the report
/// has none.
std::string without_schedule(const nlohmann::ordered_json & report);

/// The chains that missed their deadlines, as in "brake (3 of 100)"; empty: none did. A chain that
/// begins in another executor or process has no responses in the report, and is not judged.
std::string missed_deadlines(const nlohmann::ordered_json & report);

/// A chain with a deadline, of the schedule that the program ran under.
struct ChainWithDeadline
{
  std::string name;
  std::vector<std::string> path;  ///< ids of its callbacks
};

/// Those of `chains` that began in the program and never ended there, although their last callback
/// is one of the report; empty: none. The report itself has no line for such a chain.
std::string never_ended(
  const nlohmann::ordered_json & report, const std::vector<ChainWithDeadline> & chains);

/// The chains with a deadline of which the report has no responses; empty: there are none.
std::string unmeasured_deadlines(const nlohmann::ordered_json & report);

}  // namespace takt_exec

#endif  // EXEC__EXEC_REPORT_HPP_
