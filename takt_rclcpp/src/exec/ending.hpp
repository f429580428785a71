// Messages and exit codes about a program's end, besides the reports that it left.
#ifndef EXEC__ENDING_HPP_
#define EXEC__ENDING_HPP_

#include <filesystem>
#include <string>

#include "exec/child.hpp"
#include "exec/environment.hpp"

namespace takt_exec
{

/// Why the program `path` left no report, if takt knows more than its status. The reasons: a
/// program or library was not found; a process that the program started still runs and will report
/// into `folder`; the program uses takt_rcl. Empty: takt knows no reason. May block.
std::string why_no_report(
  const std::string & path, const Environment & environment, const std::filesystem::path & folder,
  const ProgramEnd & end);

/// Says that the program did not end when takt asked it to; empty: it did.
std::string slow_end(const std::string & path, const ProgramEnd & end);

/// The exit code of a run under takt. `told`: the code of the program's report.
///
/// - takt had to kill the program, or processes that it left behind: 128 + 9.
/// - The program's time was up: 128 + n if signal n crashed it then, else `told`.
/// - Otherwise: the program's own code, as a shell returns it, or `told` if that code is 0.
int exit_code(const ProgramEnd & end, int told);

}  // namespace takt_exec

#endif  // EXEC__ENDING_HPP_
