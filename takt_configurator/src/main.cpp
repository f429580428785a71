// takt-configurator: sets thread attributes for processes that lack the rights to set them.
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>

#include "decision_log.hpp"
#include "server.hpp"
#include "takt_control/configurator_client.hpp"
#include "takt_schedule/program.hpp"

namespace
{

using takt_configurator::Decision;
using takt_configurator::DecisionLog;
using takt_configurator::FileDescriptor;
using takt_configurator::Peer;

struct Arguments
{
  std::string socket = takt_control::configurator_socket();
  std::string policy = "/etc/takt/configurator.yaml";
  std::string log = "decisions";
  bool check = false;
  takt_configurator::ServerLimits limits;
  int patience_ms = 5000;
};

/// Becomes readable when a signal ends the daemon. No thread handles these signals in another way.
FileDescriptor end_signals()
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC));
}

/// Returns an empty sentence if no other user can replace `file`: all folders above it belong to
/// root or to the daemon's user, and no other user may write into the last folder, or into a higher
/// one without the sticky bit (/tmp has it).
std::string folder_fault(const std::filesystem::path & file)
{
  for (std::filesystem::path at = file.parent_path();; at = at.parent_path()) {
    struct stat found = {};
    if (::stat(at.c_str(), &found) != 0) {
      return at.string() + ": " + std::generic_category().message(errno);
    }
    const bool ours = found.st_uid == 0 || found.st_uid == ::geteuid();
    const bool shared = (found.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool kept = at != file.parent_path() && (found.st_mode & S_ISVTX) != 0;
    if (!ours || (shared && !kept)) {
      return file.string() + ": other users can replace this file, because the folder " +
             at.string() +
             (ours ? " can be written by them"
                   : " belongs to user " + std::to_string(found.st_uid)) +
             "; use a folder of root";
    }
    if (at == at.root_path()) {
      return {};
    }
  }
}

/// Returns an empty sentence if no other user can change the file.
std::string file_fault(const std::string & path)
{
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) {
    return path + ": " + std::generic_category().message(errno);
  }
  const bool ours = found.st_uid == 0 || found.st_uid == ::geteuid();
  if (!ours || (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return path +
           ": other users can change this file; it must belong to root, and only its owner may "
           "write it";
  }
  // Check the given path, which may be a link, and the path that it leads to.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) {
    return path + ": " + error.message();
  }
  const std::string fault = folder_fault(std::filesystem::absolute(path));
  return fault.empty() ? folder_fault(real) : fault;
}

int run(Arguments & arguments)
{
  // Check this before reading the file: a user who can replace it could replace it in between.
  const std::string replaceable = arguments.check ? std::string() : file_fault(arguments.policy);
  if (!replaceable.empty()) {
    return takt_schedule::refuse({replaceable});
  }
  const auto policy = takt_schedule::load_configurator_policy(arguments.policy);
  if (!policy) {
    return takt_schedule::refuse(policy.faults());
  }
  takt_schedule::warn(policy->warnings);
  if (arguments.check) {
    std::printf("%s: good, %zu rules\n", arguments.policy.c_str(), policy->rules.size());
    return 0;
  }
  const FileDescriptor stop = end_signals();
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may have ended
  auto listener = takt_configurator::Listener::open(arguments.socket);
  if (!listener) {
    return takt_schedule::refuse(listener.faults());
  }
  DecisionLog log(arguments.log == "none");
  if (!takt_rt::may_use_realtime(1)) {
    log.line("warning: CAP_SYS_NICE is missing; the configurator can grant nothing");
  }
  const takt_configurator::ProcFiles table;
  takt_configurator::LinuxKernel kernel;
  takt_configurator::RequestHandler handler(
    *policy, table, kernel,
    [&log](const Peer & peer, const Decision & decision) { log.decision(peer, decision); });
  arguments.limits.patience = std::chrono::milliseconds(arguments.patience_ms);
  takt_configurator::Server server(
    std::move(*listener), table, handler, arguments.limits,
    [&log](const std::string & line) { log.line(line); });
  log.line("listening on " + arguments.socket);
  const int error = server.run(stop.get());
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "epoll_wait");
  }
  return 0;
}

}  // namespace

int main(int argc, char ** argv)
{
  CLI::App app{
    "Sets thread attributes for processes that lack the rights to set them, as a policy file "
    "allows.",
    "takt-configurator"};
  Arguments arguments;
  app.add_option("--socket", arguments.socket, "where to listen")->capture_default_str();
  app.add_option("--policy", arguments.policy, "who may be granted what")->capture_default_str();
  app.add_flag("--check", arguments.check, "only check the policy file");
  app.add_option("--log", arguments.log, "decisions, or none")
    ->check(CLI::IsMember({"decisions", "none"}))
    ->capture_default_str();
  app.add_option("--clients", arguments.limits.clients, "the most clients at once")
    ->check(CLI::Range(1, 10'000))
    ->capture_default_str();
  app
    .add_option(
      "--clients-of-user", arguments.limits.clients_of_user,
      "the most clients of each user but root")
    ->check(CLI::Range(1, 10'000))
    ->capture_default_str();
  app
    .add_option(
      "--patience-ms", arguments.patience_ms,
      "milliseconds for the rest of a message, and for a client that reads no answer")
    ->check(CLI::Range(1, 600'000))
    ->capture_default_str();
  return takt_schedule::run_program(app, argc, argv, [&] { return run(arguments); });
}
