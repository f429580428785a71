// The program that `takt exec` is to run: where it is, and whether a library can be preloaded into it.
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
  std::string path;      ///< empty: there is none
  int error = 0;         ///< an errno, where `path` is empty
  std::string obstacle;  ///< why the loader will not preload anything; empty: it will
};

/// Looks `name` up in `path` (absent: where the system has its programs), as a shell does. Set-up only; may block.
ProgramFile find_program(const std::string & name, const std::optional<std::string> & path);

/// The libraries that the file `path` names as needed; none: it is no program of this machine. Set-up only; may block.
std::vector<std::string> needed_libraries(const std::string & path);

/// Libraries that the loader does not find for the program `path`. Starts its loader; set-up only.
std::vector<std::string> missing_libraries(
  const std::string & path, const Environment & environment);

}  // namespace takt_exec

#endif  // EXEC__PROGRAM_FILE_HPP_
