// What `takt exec` can tell of a program's end beyond the reports that it left.
#ifndef EXEC__ENDING_HPP_
#define EXEC__ENDING_HPP_

#include <filesystem>
#include <string>

#include "exec/child.hpp"
#include "exec/environment.hpp"

namespace takt_exec
{

/// Why the program `path` left no report, where more is known than its status says: a program or library was
/// not found, something that it started runs on in the background and would report into `folder`, or it is a program of
/// takt_rcl. Empty: nothing more is known.
/// May block.
std::string why_no_report(
  const std::string & path, const Environment & environment, const std::filesystem::path & folder,
  const ProgramEnd & end);

/// That the program did not end when takt told it to; empty: it did.
std::string slow_end(const std::string & path, const ProgramEnd & end);

/// The exit code of a run under takt whose report was `told` with that code: 128 + 9 where takt had to kill; where the
/// time was up, 128 + n if the program crashed by signal n then, and else 0; else the program's own as a shell gives it, or, if that is 0, `told`.
int exit_code(const ProgramEnd & end, int told);

}  // namespace takt_exec

#endif  // EXEC__ENDING_HPP_
