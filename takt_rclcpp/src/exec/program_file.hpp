// The program that `takt exec` is to run: where it is, and whether a library can be preloaded into it.
#ifndef EXEC__PROGRAM_FILE_HPP_
#define EXEC__PROGRAM_FILE_HPP_

#include <string>

namespace takt_exec
{

struct ProgramFile
{
  std::string path;      ///< empty: there is none
  int error = 0;         ///< an errno, where `path` is empty
  std::string obstacle;  ///< why the loader will not preload anything; empty: it will
};

/// Looks `name` up in PATH, as a shell does. Set-up only; may block.
ProgramFile find_program(const std::string & name);

}  // namespace takt_exec

#endif  // EXEC__PROGRAM_FILE_HPP_
