#include "namespace_threads.hpp"

#include <dirent.h>

#include <algorithm>
#include <string>
#include <utility>

#include "takt_schedule/number.hpp"

namespace takt_configurator
{
namespace
{

/// A process may have as many threads as it likes, and others wait while the daemon looks at them.
constexpr std::size_t kMostThreads = 1000;
/// Processes whose threads are kept: 4 MB at most.
constexpr std::size_t kMostProcesses = 64;

}  // namespace

NamespaceThreads::NamespaceThreads(OwnNumber own_number) : own_number_(std::move(own_number))
{
}

NamespaceThreads::Process & NamespaceThreads::kept(pid_t pid)
{
  if (!processes_.contains(pid) && processes_.size() >= kMostProcesses) {
    processes_.erase(std::min_element(
      processes_.begin(), processes_.end(),
      [](const auto & a, const auto & b) { return a.second.used < b.second.used; }));
  }
  Process & process = processes_[pid];
  process.used = ++calls_;
  return process;
}

/// Keeps what is known of threads that are still there, and reads the others.
void NamespaceThreads::look(pid_t pid, Process & process) const
{
  Process now;
  now.used = process.used;
  DIR * const folder = ::opendir(("/proc/" + std::to_string(pid) + "/task").c_str());
  if (folder != nullptr) {
    while (const dirent * const entry = ::readdir(folder)) {
      const auto tid = takt_schedule::parse_number<pid_t>(entry->d_name, 1, 1 << 30);
      if (!tid) {
        continue;
      }
      const auto old = process.threads.find(*tid);
      const bool known = old != process.threads.end() && old->second.folder == entry->d_ino;
      const Seen seen = known ? old->second : Seen{entry->d_ino, own_number_(pid, *tid)};
      now.threads[*tid] = seen;
      now.by_own_tid[seen.own_tid] = *tid;
      if (now.threads.size() >= kMostThreads) {
        break;
      }
    }
    ::closedir(folder);
  }
  process = std::move(now);
}

std::optional<pid_t> NamespaceThreads::find(pid_t pid, pid_t own_tid)
{
  Process & process = kept(pid);
  const auto right = [&]() -> std::optional<pid_t> {
    const auto found = process.by_own_tid.find(own_tid);
    const bool is = found != process.by_own_tid.end() && own_number_(pid, found->second) == own_tid;
    return is ? std::optional(found->second) : std::nullopt;
  };
  if (const auto tid = right()) {
    return tid;
  }
  look(pid, process);
  return right();
}

}  // namespace takt_configurator
