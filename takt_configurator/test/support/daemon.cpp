#include "support/daemon.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "takt_control/unix_address.hpp"
#include "takt_rt/thread_attributes.hpp"
#include "takt_rt/time.hpp"

namespace takt_configurator::test
{
namespace
{

/// `arguments` begin with the program.
pid_t spawn(const std::vector<std::string> & arguments, const std::string & output)
{
  std::vector<char *> raw;
  for (const std::string & one : arguments) {
    raw.push_back(const_cast<char *>(one.c_str()));
  }
  raw.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(file, 1);
    ::dup2(file, 2);
    ::execvp(raw[0], raw.data());
    ::_exit(127);
  }
  return child;
}

}  // namespace

std::string make_folder()
{
  std::string pattern = ::testing::TempDir() + "takt_configurator_XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    ADD_FAILURE() << "no folder " << pattern;
  }
  ::chmod(pattern.c_str(), 0755);  // other users connect to sockets in it
  return pattern;
}

void write_file(const std::string & path, const std::string & text)
{
  std::ofstream(path) << text;
}

std::string read_file(const std::string & path)
{
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool has_rights()
{
  return ::geteuid() == 0 && takt_rt::may_use_realtime(50);
}

bool has_capability(int number)
{
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("CapEff:", 0) == 0) {
      return ((std::stoull(line.substr(7), nullptr, 16) >> number) & 1U) != 0;
    }
  }
  return false;
}

Daemon::Daemon(
  const std::string & policy, std::vector<std::string> arguments, std::vector<std::string> starter,
  uid_t owner)
: folder_(make_folder()),
  arguments_(std::move(arguments)),
  starter_(std::move(starter))
{
  write_file(folder_ + "/policy.yaml", policy);
  ::chmod((folder_ + "/policy.yaml").c_str(), 0644);  // for any umask
  const std::string run = folder_ + "/run";
  if (::mkdir(run.c_str(), 0755) != 0 || ::chown(run.c_str(), owner, -1) != 0) {
    ADD_FAILURE() << "no folder " << run << " of user " << owner;
  }
  start();
}

void Daemon::start()
{
  std::vector<std::string> all = starter_;
  for (const std::string & one :
       {std::string(TAKT_CONFIGURATOR_PROGRAM), std::string("--socket"), socket(),
        std::string("--policy"), folder_ + "/policy.yaml"}) {
    all.push_back(one);
  }
  all.insert(all.end(), arguments_.begin(), arguments_.end());
  pid_ = spawn(all, folder_ + "/log");
  const auto until = takt_rt::now() + std::chrono::minutes(2);
  while (is_running()) {
    const int probe = connect_to(socket());
    if (probe >= 0) {
      ::close(probe);
      return;
    }
    if (takt_rt::now() > until) {
      ADD_FAILURE() << "the daemon has not opened " << socket() << " in two minutes:\n" << log();
      return;
    }
    ::sched_yield();
  }
  ADD_FAILURE() << "the daemon ended:\n" << log();
}

Daemon::~Daemon()
{
  if (is_running()) {
    end(SIGKILL);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Daemon::log() const
{
  return read_file(folder_ + "/log");
}

bool Daemon::is_running()
{
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = -1;
  }
  return pid_ > 0;
}

int Daemon::end(int signal)
{
  int status = -1;
  ::kill(pid_, signal);
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return status;
}

long Daemon::resident() const
{
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmRSS:", 0) == 0) {
      return std::stol(line.substr(6));
    }
  }
  return -1;
}

Outcome run_daemon(const std::vector<std::string> & arguments)
{
  const std::string folder = make_folder();
  std::vector<std::string> all{TAKT_CONFIGURATOR_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const pid_t child = spawn(all, folder + "/log");
  int status = 0;
  ::waitpid(child, &status, 0);
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder + "/log")};
  std::filesystem::remove_all(folder);
  return outcome;
}

int connect_to(const std::string & socket)
{
  const auto address = takt_control::unix_address(socket);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(fd, reinterpret_cast<const sockaddr *>(&*address), sizeof *address) != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

bool send_bytes(int socket, const std::string & bytes)
{
  return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

std::string read_all(int socket)
{
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace takt_configurator::test
