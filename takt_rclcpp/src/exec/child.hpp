// Runs a program as the shell would: with this process's terminal and streams, its signals passed on.
#ifndef EXEC__CHILD_HPP_
#define EXEC__CHILD_HPP_

#include <chrono>
#include <string>
#include <vector>

#include "exec/environment.hpp"

namespace takt_exec
{

/// How a program ended.
struct ProgramEnd
{
  int status = -1;  ///< as waitpid gives it; -1: the program could not be started
  int error = 0;    ///< the errno why it could not
  /// It was still running when its time was up, so it was told to end, and its status says nothing.
  bool by_duration = false;
  /// It did not end by SIGINT, or not by SIGTERM either, when its time was up.
  bool needed_sigterm = false;
  bool needed_sigkill = false;
  /// What it had started and left behind did not end by SIGTERM.
  bool rest_needed_sigkill = false;
};

/// Runs `path` with `arguments` (the first is the program's name) until it ends. SIGINT, SIGTERM, SIGHUP,
/// SIGQUIT, SIGUSR1 and SIGUSR2 that are sent to this process are sent on; what a terminal sends reaches the
/// program by itself. If this process is killed, the program gets SIGTERM. Once in a process.
///
/// `duration`, if positive: the program and all that it starts are a process group of their own, which gets
/// SIGINT after that time, SIGTERM ten seconds later and SIGKILL after five more.
///
/// The program has `environment`. Where the caller's standard streams were closed, TAKT_CLOSED_STREAMS ("0 2") names
/// the ones to be closed in the program.
ProgramEnd run(
  const std::string & path, const std::vector<std::string> & arguments,
  const Environment & environment, std::chrono::nanoseconds duration = {});

}  // namespace takt_exec

#endif  // EXEC__CHILD_HPP_
