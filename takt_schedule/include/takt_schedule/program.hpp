// How the programs that answer questions about files begin and end. Needs CLI11.
#ifndef TAKT_SCHEDULE__PROGRAM_HPP_
#define TAKT_SCHEDULE__PROGRAM_HPP_

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "takt_core/result.hpp"

namespace takt_schedule
{

constexpr int kUnwritten = 1;  ///< exit code: what was found could not be written
constexpr int kBadInput = 2;   ///< exit code: a file or the command line is wrong

/// Tells each fault on a line of its own; the exit code.
inline int refuse(const takt_core::Faults & faults)
{
  for (const std::string & fault : faults) {
    std::fprintf(stderr, "%s\n", fault.c_str());
  }
  return kBadInput;
}

/// Reads the command line into what `app` was given, then runs `run`, whose result is the exit code.
/// What is wrong is one line on the error output that begins with the program's name.
template <typename Run>
int run_program(CLI::App & app, int argc, const char * const * argv, const Run & run)
{
  const auto fail = [&](const char * what, int code) {
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), what);
    return code;
  };
  try {
    app.parse(argc, argv);
    const int code = run();
    // A full disk shows when the buffer is emptied.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      const int why = errno;
      std::fprintf(
        stderr, "%s: the output cannot be written: %s\n", app.get_name().c_str(),
        std::strerror(why));
      return kUnwritten;
    }
    return code;
  } catch (const CLI::Success & request) {
    return app.exit(request);
  } catch (const std::exception & error) {
    return fail(error.what(), kBadInput);
  }
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PROGRAM_HPP_
