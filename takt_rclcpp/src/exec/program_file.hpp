// Finds the program that `takt exec` will run, and whether its loader can preload a library.
#ifndef EXEC__PROGRAM_FILE_HPP_
#define EXEC__PROGRAM_FILE_HPP_

#include <optional>
#include <string>
#include <vector>

#include "exec/environment.hpp"

namespace takt_exec
{

struct ProgramFile
{
  std::string path;      ///< empty: not found
  int error = 0;         ///< the errno if `path` is empty
  std::string obstacle;  ///< why the loader cannot preload a library; empty: it can
};

/// Looks up `name` in `path` (absent: the system's folders for programs), as a shell does. Set-up
/// only; may block.
ProgramFile find_program(const std::string & name, const std::optional<std::string> & path);

/// The libraries that the file `path` needs; empty: not a program for this machine. Set-up only;
/// may block.
std::vector<std::string> needed_libraries(const std::string & path);

/// The libraries of program `path` that the loader does not find. Starts the loader. Set-up only;
/// may block.
std::vector<std::string> missing_libraries(
  const std::string & path, const Environment & environment);

/// True if the program is built with ThreadSanitizer, or if it has no callbacks of its own, such as
/// a script or a shell, and so may start one that is. Starts the loader. Set-up only; may block.
bool may_have_thread_sanitizer(const std::string & path, const Environment & environment);

}  // namespace takt_exec

#endif  // EXEC__PROGRAM_FILE_HPP_
