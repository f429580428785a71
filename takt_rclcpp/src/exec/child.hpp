// Runs a program as the shell would: with this process's terminal and streams, its signals passed on.
#ifndef EXEC__CHILD_HPP_
#define EXEC__CHILD_HPP_

#include <string>
#include <vector>

namespace takt_exec
{

/// Runs `path` with `arguments` (the first is the program's name) until it ends. SIGINT, SIGTERM, SIGHUP,
/// SIGQUIT, SIGUSR1 and SIGUSR2 that are sent to this process are sent on; what a terminal sends reaches the
/// program by itself. If this process is killed, the program gets SIGTERM. Returns the status of waitpid, or
/// -1 with errno where it could not be started. Once in a process.
int run(const std::string & path, const std::vector<std::string> & arguments);

}  // namespace takt_exec

#endif  // EXEC__CHILD_HPP_
