#include "kernel/kernel_figures.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace takt_watch
{

std::string task_file(pid_t tid, const char * name)
{
  const std::string path = "/proc/self/task/" + std::to_string(tid) + "/" + name;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return {};
  }
  std::string text(4096, '\0');
  const ssize_t bytes = ::read(file, text.data(), text.size());
  ::close(file);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

std::vector<int> cores_of(pid_t tid)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (tid == 0 || ::sched_getaffinity(tid, sizeof set, &set) != 0) {
    return cores;
  }
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) {
      cores.push_back(core);
    }
  }
  return cores;
}

std::optional<std::uint64_t> migrations_of(pid_t tid)
{
  constexpr std::string_view kKey = "se.nr_migrations";
  const std::string text = task_file(tid, "sched");
  const std::size_t key = text.find(kKey);
  const std::size_t colon = key == std::string::npos ? key : text.find(':', key);
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  return std::strtoull(text.c_str() + colon + 1, nullptr, 10);
}

std::string name_of(pid_t tid)
{
  const std::string text = task_file(tid, "comm");
  return text.substr(0, text.find('\n'));
}

char state_of(pid_t tid)
{
  // Read after the last ')', because the name before it may hold any characters.
  const std::string text = task_file(tid, "stat");
  const std::size_t name_ends = text.rfind(')');
  return name_ends == std::string::npos || name_ends + 2 >= text.size() ? '\0'
                                                                        : text[name_ends + 2];
}

}  // namespace takt_watch
