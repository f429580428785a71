#include "exec/ending.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <vector>

#include "exec/program_file.hpp"

namespace takt_exec
{
namespace
{

namespace fs = std::filesystem;

std::string content(const fs::path & file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The processes that started with `folder` as their folder for reports, as "71 (talker)". /proc
// shows the environment of a process's start, without later changes.
std::vector<std::string> running_with(const fs::path & folder)
{
  const std::string entry = "TAKT_REPORT_DIR=" + folder.string() + '\0';
  std::vector<std::string> running;
  std::error_code error;
  for (const auto & one : fs::directory_iterator("/proc", error)) {
    const std::string number = one.path().filename();
    if (
      number.find_first_not_of("0123456789") == std::string::npos &&
      content(one.path() / "environ").find(entry) != std::string::npos) {
      std::string name = content(one.path() / "comm");
      running.push_back(fmt::format("{} ({})", number, name.substr(0, name.find('\n'))));
    }
  }
  return running;
}

// The reason for exit code 127.
std::string not_found(const std::string & path, const Environment & environment)
{
  const auto missing = missing_libraries(path, environment);
  if (missing.empty()) {
    return path + " ended with exit code 127, as where a program or a library is not found";
  }
  return fmt::format(
    "the loader could not start {}, because it does not find {}; source the workspace that has {}",
    path, fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them");
}

bool uses_only_takt_rcl(const std::string & path)
{
  const auto libraries = needed_libraries(path);
  const auto needs = [&](const char * name) {
    return std::find(libraries.begin(), libraries.end(), name) != libraries.end();
  };
  return needs("libtakt_rcl.so") && !needs("librclcpp.so");
}

// True if a signal ended the program, other than those that ask it to end.
bool crashed(int status)
{
  constexpr std::array<int, 5> kCrashes{SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE};
  return WIFSIGNALED(status) &&
         std::find(kCrashes.begin(), kCrashes.end(), WTERMSIG(status)) != kCrashes.end();
}

}  // namespace

std::string why_no_report(
  const std::string & path, const Environment & environment, const fs::path & folder,
  const ProgramEnd & end)
{
  if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 127) {
    return not_found(path, environment);
  }
  if (const auto running = running_with(folder); !running.empty()) {
    return fmt::format(
      "the program left process {} running in the background, and takt exec waits only for the "
      "program itself",
      fmt::join(running, ", "));
  }
  if (uses_only_takt_rcl(path)) {
    return path +
           " uses takt_rcl and not rclcpp, and applies a schedule by itself; start it without takt "
           "exec";
  }
  return {};
}

std::string slow_end(const std::string & path, const ProgramEnd & end)
{
  if (end.needed_sigkill) {
    return path + " did not end within 15 s of SIGINT and SIGTERM, so takt killed it (SIGKILL)";
  }
  if (end.rest_needed_sigkill) {
    return "what " + path +
           " left running did not end within 5 s of SIGTERM, so takt killed it (SIGKILL)";
  }
  return end.needed_sigterm ? path + " did not end within 10 s of SIGINT, so takt sent SIGTERM"
                            : "";
}

int exit_code(const ProgramEnd & end, int told)
{
  if (end.needed_sigkill || end.rest_needed_sigkill) {
    return 128 + SIGKILL;
  }
  if (end.by_duration && !crashed(end.status)) {
    return told;
  }
  const int code = WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
  return code != 0 ? code : told;
}

}  // namespace takt_exec
