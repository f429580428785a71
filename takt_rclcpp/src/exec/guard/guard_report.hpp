// The report of the guard about the processes of a run.
#ifndef EXEC__GUARD__GUARD_REPORT_HPP_
#define EXEC__GUARD__GUARD_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "exec/guard/ignore_list.hpp"

namespace takt_exec
{

/// Reads the accounts (takt_rt/guard/account.hpp) in `folder`. Returns one object for each process,
/// by process id, in the form of `guard` in the schema exec_report. Omits events of takt's own
/// libraries, and only counts the ignored ones. Sets `unused` to the lines of the list that ignored
/// no event of any process. Set-up only; may start programs and block.
nlohmann::ordered_json guard_processes(
  const std::filesystem::path & folder, const IgnoreList & ignored, bool all_threads,
  std::vector<std::string> & unused);

/// The report as tables, one for each process.
std::string guard_text(const nlohmann::ordered_json & processes);

}  // namespace takt_exec

#endif  // EXEC__GUARD__GUARD_REPORT_HPP_
