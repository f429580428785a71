// What a test says about a process that neither answers nor ends: where each of its threads is.
#ifndef SUPPORT__HANG_HPP_
#define SUPPORT__HANG_HPP_

#include <stdio.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace takt_channel_test
{

/// No answer takes nearly as long on the busiest machine: the process hangs.
inline constexpr std::chrono::seconds kPatience{100};

/// The names of the threads and their places in the kernel; their stacks, too, where gdb is
/// installed.
inline std::string where_threads_are(pid_t pid)
{
  std::string text = "threads of process " + std::to_string(pid) + ":\n";
  const std::filesystem::path tasks = "/proc/" + std::to_string(pid) + "/task";
  std::error_code ignored;
  // The process may end meanwhile.
  for (std::filesystem::directory_iterator task(tasks, ignored), end; !ignored && task != end;
       task.increment(ignored)) {
    std::string name;
    std::string place;
    std::getline(std::ifstream(task->path() / "comm"), name);
    std::getline(std::ifstream(task->path() / "wchan"), place);
    text += "  " + name + " in " + place + "\n";
  }
  const std::string command = "timeout 30 gdb -batch -nx -p " + std::to_string(pid) +
                              " -ex 'thread apply all bt' 2>/dev/null | grep '^[T#]'";
  if (FILE * const stacks = ::popen(command.c_str(), "r")) {
    std::array<char, 4096> line{};
    while (std::fgets(line.data(), line.size(), stacks) != nullptr) {
      text += std::string("  ") + line.data();
    }
    ::pclose(stacks);
  }
  return text;
}

}  // namespace takt_channel_test

#endif  // SUPPORT__HANG_HPP_
