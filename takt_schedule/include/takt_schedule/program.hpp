// How the programs that answer questions about files begin and end. Needs CLI11.
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

constexpr int kUnwritten = 1;  ///< exit code: what was found could not be written
constexpr int kBadInput = 2;   ///< exit code: a file or the command line is wrong

/// Lines of findings that are shown of many: more than the readers of two files keep.
constexpr std::size_t kMostShown = 1100;

/// Each finding on a line of its own on the error output, of very many the first, and how many more
/// there are.
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

inline void tell(const takt_rt::Faults & findings, const char * before = "")
{
  tell(sentences(findings), before);
}

/// Tells faults; the exit code.
inline int refuse(const takt_rt::Faults & faults)
{
  tell(faults);
  return kBadInput;
}

template <typename Warning>
void warn(const std::vector<Warning> & warnings)
{
  tell(warnings, "warning: ");
}

/// The value of an option that is a number from `least` to `most`. Throws CLI::ValidationError, in words of
/// our own, for anything else: CLI11 itself takes the nearest number that fits for one that does not, and
/// nan.
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

/// The same for a duration; a plain number is seconds.
inline takt_rt::Duration duration_option(const std::string & option, const std::string & text)
{
  const auto value = parse_seconds(text);
  if (!value) {
    throw CLI::ValidationError(option, to_string(value.faults().front()));
  }
  return *value;
}

/// The same for a list of cores, "0,2-3".
inline std::vector<int> cores_option(const std::string & option, const std::string & text)
{
  const auto cores = parse_cores(text);
  if (!cores) {
    throw CLI::ValidationError(option, to_string(cores.faults().front()));
  }
  return *cores;
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
  } catch (const std::bad_alloc &) {
    return fail("there is not enough memory for so large an input; make it smaller", kBadInput);
  } catch (const std::exception & error) {
    return fail(error.what(), kBadInput);
  }
}

}  // namespace takt_schedule

#endif  // TAKT_SCHEDULE__PROGRAM_HPP_
