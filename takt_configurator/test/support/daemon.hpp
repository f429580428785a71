// A real daemon with its own socket, in a folder that the destructor removes.
#ifndef SUPPORT__DAEMON_HPP_
#define SUPPORT__DAEMON_HPP_

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace takt_configurator::test
{

class Daemon
{
public:
  /// Starts it, and waits until it listens or has ended. `starter`: a program with arguments that
  /// starts the daemon as user `owner`.
  explicit Daemon(
    const std::string & policy, std::vector<std::string> arguments = {},
    std::vector<std::string> starter = {}, uid_t owner = ::geteuid());
  Daemon(const Daemon &) = delete;
  Daemon & operator=(const Daemon &) = delete;
  ~Daemon();

  std::string folder() const { return folder_; }
  std::string socket() const { return folder_ + "/run/configurator.sock"; }
  std::string log() const;  ///< the daemon's output so far
  pid_t pid() const { return pid_; }
  bool is_running();

  void start();
  /// Sends a signal and waits for the end. Returns the status of waitpid.
  int end(int signal);
  /// The daemon's resident memory in KiB.
  long resident() const;

private:
  std::string folder_;
  std::vector<std::string> arguments_;
  std::vector<std::string> starter_;
  pid_t pid_ = -1;
};

/// Runs a program with arguments until it ends: its exit code and its output.
struct Outcome
{
  int code = -1;
  std::string output;
};
Outcome run_daemon(const std::vector<std::string> & arguments);

/// A new folder that only its owner writes, below the system's folder for temporary files.
std::string make_folder();
void write_file(const std::string & path, const std::string & text);
std::string read_file(const std::string & path);

/// True if this process can make daemons that grant something; tests skip otherwise.
bool has_rights();
/// True if this process has the capability with this number in capabilities(7).
bool has_capability(int number);

/// A connected socket, for tests that write the protocol themselves; -1 if no process listens.
int connect_to(const std::string & socket);
bool send_bytes(int socket, const std::string & bytes);
/// Reads until the peer closes the connection.
std::string read_all(int socket);

}  // namespace takt_configurator::test

#endif  // SUPPORT__DAEMON_HPP_
