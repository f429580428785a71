// Begin and end of programs that check or convert files. Needs CLI11.
#ifndef TAKT_SCHEDULE__PROGRAM_HPP_
#define TAKT_SCHEDULE__PROGRAM_HPP_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "takt_rt/result.hpp"
#include "takt_rt/time.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/duration.hpp"
#include "takt_schedule/number.hpp"
#include "takt_schedule/quoted.hpp"

namespace takt_schedule
{

constexpr int kUnwritten = 1;  ///< exit code: the findings could not be written
constexpr int kBadInput = 2;   ///< exit code: a file or the command line is faulty

/// `tell` prints at most this many findings: more than the readers of two files keep.
constexpr std::size_t kMostShown = 1100;

/// Prints each finding on its own line to standard error, up to kMostShown, and then the number of
/// the others.
inline void tell(const std::vector<std::string> & findings, const char * before = "")
{
  const std::size_t shown = std::min(findings.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    std::fprintf(stderr, "%s%s\n", before, findings[i].c_str());
  }
  if (findings.size() > shown) {
    std::fprintf(stderr, "%s%zu more; fix these first\n", before, findings.size() - shown);
  }
}

/// `tell` for the sentences of the faults.
inline void tell(const takt_rt::Faults & findings, const char * before = "")
{
  tell(sentences(findings), before);
}

/// Prints faults; returns the exit code.
inline int refuse(const takt_rt::Faults & faults)
{
  tell(faults);
  return kBadInput;
}

/// Prints warnings as `tell` does.
template <typename Warning>
void warn(const std::vector<Warning> & warnings)
{
  tell(warnings, "warning: ");
}

/// The value of an option that is a number from `least` to `most`. Otherwise throws
/// CLI::ValidationError with takt's words: CLI11 itself accepts nan and replaces a number out of
/// range by the nearest one in range.
template <typename Number>
Number number_option(
  const std::string & option, const std::string & text, Number least, Number most)
{
  const auto value = parse_number(text, least, most);
  if (!value) {
    throw CLI::ValidationError(
      option, takt_schedule::quoted(text) + " is not " + expected_number(least, most));
  }
  return *value;
}

/// As `number_option` for a duration.
inline takt_rt::Duration duration_option(const std::string & option, const std::string & text)
{
  const auto value = parse_duration(text, "s");
  if (!value) {
    throw CLI::ValidationError(option, to_string(value.faults().front()));
  }
  return *value;
}

/// As `number_option` for a list of cores, "0,2-3".
inline std::vector<int> cores_option(const std::string & option, const std::string & text)
{
  const auto cores = parse_cores(text);
  if (!cores) {
    throw CLI::ValidationError(option, to_string(cores.faults().front()));
  }
  return *cores;
}

/// Reads the command line into the options of `app`, then runs `run`, whose result is the exit
/// code. A fault is one line on standard error that begins with the program's name.
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
    // Emptying the buffer shows a full disk.
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
  } catch (const std::bad_alloc &) {
    return fail("there is not enough memory for so large an input; make it smaller", kBadInput);
  } catch (const std::exception & error) {
    return fail(error.what(), kBadInput);
  }
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PROGRAM_HPP_
