// Messages and exit codes about a program's end, besides the reports that it left.
#ifndef EXEC__ENDING_HPP_
#define EXEC__ENDING_HPP_

#include <filesystem>
#include <string>

#include "exec/child.hpp"
#include "exec/environment.hpp"

namespace takt_exec
{

/// Why the program `path` left no report, if more than its status is known: a program or library was not found, a
/// process that it started still runs and will report into `folder`, or it is a program of takt_rcl. Empty: no more
/// is known. May block.
std::string why_no_report(
  const std::string & path, const Environment & environment, const std::filesystem::path & folder,
  const ProgramEnd & end);

/// Says that takt asked the program to end and it did not; empty: it did.
std::string slow_end(const std::string & path, const ProgramEnd & end);

/// The exit code of a run under takt. `told`: the code for its report. 128 + 9 if takt had to kill it. If its time
/// was up: 128 + n if signal n crashed it then, else 0. Otherwise the program's own code, as a shell returns it; if
/// that is 0, `told`.
int exit_code(const ProgramEnd & end, int told);

}  // namespace takt_exec

#endif  // EXEC__ENDING_HPP_
