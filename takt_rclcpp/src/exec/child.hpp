// Runs a program as the shell would: with this process's terminal and streams, its signals passed
// on.
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
  int status = -1;  ///< as waitpid returns it; -1: the program could not be started
  int error = 0;    ///< the errno of the failed start
  /// The program still ran when its time was up, and takt ended it: `status` has no meaning.
  bool by_duration = false;
  /// When its time was up, SIGINT did not end the program.
  bool needed_sigterm = false;
  /// SIGTERM did not end the program either.
  bool needed_sigkill = false;
  /// SIGTERM did not end the processes that the program left behind.
  bool rest_needed_sigkill = false;
};

/// Runs `path` with `arguments` (the first is the program's name) until the program ends. Passes on
/// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 sent to this process. Without `duration`
/// the terminal's signals reach the program directly. If this process is killed, the program gets
/// SIGTERM. Call it once in a process.
///
/// `duration`, if positive: puts the program and all that it starts into a process group of their
/// own, and passes on the terminal's signals, too. The group gets SIGINT after that time, SIGTERM
/// ten seconds later, and SIGKILL after five more.
///
/// The program gets `environment`. TAKT_CLOSED_STREAMS ("0 2") names the caller's closed standard
/// streams; they are closed in the program, too.
ProgramEnd run(
  const std::string & path, const std::vector<std::string> & arguments,
  const Environment & environment, std::chrono::nanoseconds duration = {});

}  // namespace takt_exec

#endif  // EXEC__CHILD_HPP_
