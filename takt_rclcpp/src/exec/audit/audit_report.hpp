// The report of `takt exec --audit` about the processes of a run.
#ifndef EXEC__AUDIT__AUDIT_REPORT_HPP_
#define EXEC__AUDIT__AUDIT_REPORT_HPP_

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace takt_exec
{

/// Reads what the processes wrote into `folder`: lines about their callbacks
/// (takt_host/src/audit/audit_observer.hpp) and logs of ThreadSanitizer. Returns one object for
/// each process, by process id, in the form of `audit` in the schema exec_report. Set-up only; may
/// block.
nlohmann::ordered_json audit_processes(const std::filesystem::path & folder);

/// The races between callbacks as tables, one for each process.
std::string audit_text(const nlohmann::ordered_json & processes);

}  // namespace takt_exec

#endif  // EXEC__AUDIT__AUDIT_REPORT_HPP_
