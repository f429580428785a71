#include "process_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "takt_rt/thread_attributes.hpp"
#include "takt_schedule/core_list.hpp"
#include "takt_schedule/number.hpp"

namespace takt_configurator
{
namespace
{

constexpr pid_t kLargestPid = 1 << 30;

std::string thread_folder(pid_t pid, pid_t tid)
{
  return "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
}

std::string first_line(const std::string & path)
{
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The words after `key` in a status file; empty if the file or the line is absent.
std::optional<std::string> status_line(const std::string & folder, const std::string & key)
{
  std::ifstream file(folder + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.size() > key.size() && line.compare(0, key.size(), key) == 0) {
      return line.substr(key.size());
    }
  }
  return std::nullopt;
}

template <typename Number>
std::optional<Number> word(const std::string & line, std::size_t index)
{
  std::istringstream words(line);
  std::string one;
  for (std::size_t i = 0; i <= index; ++i) {
    if (!(words >> one)) {
      return std::nullopt;
    }
  }
  return takt_schedule::parse_number<Number>(one, 0, std::numeric_limits<Number>::max());
}

/// The ids of a thread in its PID namespaces, from the daemon's namespace to the thread's own. A
/// kernel without this line has no PID namespaces.
std::vector<pid_t> ids_of(pid_t pid, pid_t tid)
{
  const std::string folder = thread_folder(pid, tid);
  const auto line = status_line(folder, "NSpid:");
  if (!line) {
    return ::access(folder.c_str(), F_OK) == 0 ? std::vector{tid} : std::vector<pid_t>();
  }
  std::vector<pid_t> ids;
  std::istringstream words(*line);
  for (pid_t one = 0; words >> one;) {
    ids.push_back(one);
  }
  return ids;
}

/// The thread's number in its own PID namespace; 0 if it has ended.
pid_t own_number(pid_t pid, pid_t tid)
{
  const auto ids = ids_of(pid, tid);
  return ids.empty() ? 0 : ids.back();
}

std::vector<pid_t> numbered_entries(const std::string & folder)
{
  std::vector<pid_t> numbers;
  DIR * const opened = ::opendir(folder.c_str());
  if (opened == nullptr) {
    return numbers;
  }
  while (const dirent * const entry = ::readdir(opened)) {
    if (const auto number = takt_schedule::parse_number<pid_t>(entry->d_name, 1, kLargestPid)) {
      numbers.push_back(*number);
    }
  }
  ::closedir(opened);
  return numbers;
}

/// Cores of the process's cpuset; empty if it cannot be read.
std::vector<int> cpuset_cores(pid_t pid)
{
  const std::string path = first_line("/proc/" + std::to_string(pid) + "/cpuset");
  if (path.empty()) {
    return {};
  }
  for (const char * const pattern :
       {"/sys/fs/cgroup/cpuset@/cpuset.effective_cpus", "/sys/fs/cgroup@/cpuset.cpus.effective",
        "/sys/fs/cgroup/unified@/cpuset.cpus.effective"}) {
    std::string file = pattern;
    file.replace(file.find('@'), 1, path == "/" ? "" : path);
    const auto cores = takt_schedule::parse_cores(first_line(file));
    if (cores) {
      return *cores;
    }
  }
  return {};
}

/// The cores that the first threads of the process may use. It reads only a few threads, because
/// other clients wait meanwhile.
std::vector<int> cores_of_threads(const ProcessTable & table, pid_t pid)
{
  constexpr std::size_t kMost = 100;
  std::vector<pid_t> tids = table.threads(pid);
  tids.resize(std::min(tids.size(), kMost));
  std::vector<int> cores;
  for (const pid_t tid : tids) {
    const auto some = takt_rt::read_attributes(tid).cores;
    cores.insert(cores.end(), some.begin(), some.end());
  }
  return cores;
}

}  // namespace

ProcFiles::ProcFiles() : in_namespaces_(own_number)
{
}

std::optional<std::uint64_t> ProcFiles::start_time(pid_t pid, pid_t tid) const
{
  const std::string line = first_line(thread_folder(pid, tid) + "/stat");
  // The name is in brackets and may have any characters: the last bracket ends it, before field 3.
  const auto name_end = line.rfind(')');
  constexpr std::size_t kField = 22;
  return name_end == std::string::npos ? std::nullopt
                                       : word<std::uint64_t>(line.substr(name_end + 1), kField - 3);
}

std::optional<pid_t> ProcFiles::find_thread(pid_t pid, pid_t own_tid) const
{
  if (own_tid < 1 || own_tid > kLargestPid) {
    return std::nullopt;
  }
  if (own_number(pid, own_tid) == own_tid) {
    return own_tid;
  }
  if (ids_of(pid, pid).size() <= 1) {
    return std::nullopt;  // the process uses the daemon's numbers for its threads
  }
  return in_namespaces_.find(pid, own_tid);
}

std::optional<uid_t> ProcFiles::user(pid_t pid, pid_t tid) const
{
  const auto line = status_line(thread_folder(pid, tid), "Uid:");
  return line ? word<uid_t>(*line, 1) : std::nullopt;
}

std::vector<int> ProcFiles::usable_cores(pid_t pid) const
{
  std::vector<int> cores = cpuset_cores(pid);
  if (cores.empty()) {
    cores = cores_of_threads(*this, pid);
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

FileDescriptor ProcFiles::watch_thread(pid_t tid) const
{
  constexpr unsigned kThread = O_EXCL;  // PIDFD_THREAD
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, tid, kThread)));
}

std::optional<pid_t> ProcFiles::process_of(pid_t tid) const
{
  const auto line = status_line("/proc/" + std::to_string(tid), "Tgid:");
  return line ? word<pid_t>(*line, 0) : std::nullopt;
}

std::vector<pid_t> ProcFiles::processes() const
{
  return numbered_entries("/proc");
}

std::vector<pid_t> ProcFiles::threads(pid_t pid) const
{
  return numbered_entries("/proc/" + std::to_string(pid) + "/task");
}

}  // namespace takt_configurator
