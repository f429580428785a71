// The output of a measuring program: a file, or standard output.
#ifndef WRITE_RESULT_HPP_
#define WRITE_RESULT_HPP_

#include <cstdio>
#include <fstream>
#include <string>

#include "takt_schedule/program.hpp"

namespace takt_bench
{

/// Writes `text` to `path`, or to standard output if that is empty: there
/// `takt_schedule::run_program` sees what could not be written. `program`: its name in the
/// sentence. Returns the program's exit code. May block.
inline int write_result(const std::string & text, const std::string & path, const char * program)
{
  if (path.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  std::ofstream file(path);
  file << text;
  if (!file.flush()) {
    std::fprintf(stderr, "%s: %s cannot be written\n", program, path.c_str());
    return takt_schedule::kUnwritten;
  }
  return 0;
}

}  // namespace takt_bench

#endif  // WRITE_RESULT_HPP_
