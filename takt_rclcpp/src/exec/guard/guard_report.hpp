// What the guard noted in the processes of a run.
#ifndef EXEC__GUARD__GUARD_REPORT_HPP_
#define EXEC__GUARD__GUARD_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "exec/guard/ignore_list.hpp"

namespace takt_exec
{

/// Reads the accounts (takt_rt/guard/account.hpp) in `folder`: one object for each process, by number, of the form of
/// the schema exec_report's `guard`. Events of takt's own libraries are omitted, ignored ones counted. Set-up only; may
/// start programs and block.
nlohmann::ordered_json guard_processes(
  const std::filesystem::path & folder, const IgnoreList & ignored, bool all_threads);

/// The report as tables, one for each process.
std::string guard_text(const nlohmann::ordered_json & processes);

}  // namespace takt_exec

#endif  // EXEC__GUARD__GUARD_REPORT_HPP_
